/** A page to print: a sheet for each new user, with the link that sets a password. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { reasonOf } from '../../telemetry/error-text.ts';

export interface Sheet {
  readonly username: string;
  readonly link: string;
}

const HEAD = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Password links</title>
<style>
  body { font: 14pt/1.5 sans-serif; margin: 2cm; }
  section { break-after: page; }
  code { overflow-wrap: anywhere; }
</style>
</head>
<body>
`;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Creates the file, which only its owner can read, because each link is as good as a password.
 *
 * @returns A function that writes the sheets.
 */
export function openSheets(path: string): (sheets: readonly Sheet[]) => void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new Error(`Cannot create the file of --sheets: ${reasonOf(error)}`);
  }
  return (sheets) => {
    writeSync(file, `${HEAD}${sheets.map(toSection).join('')}</body>\n</html>\n`);
    closeSync(file);
  };
}

function toSection({ username, link }: Sheet): string {
  return `<section>
<h1>${escape(username)}</h1>
<p>Open this address within a day, and choose your password. The address works only once.</p>
<p><code>${escape(link)}</code></p>
</section>
`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}
