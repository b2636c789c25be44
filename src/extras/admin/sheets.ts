/** The HTML page has a sheet for each new user. Each sheet shows the link that sets the user's password. */
import { openSync, writeSync } from 'node:fs';
import { reasonOf } from '../../telemetry/error-text.ts';

const HEAD = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Password links</title>
<style>
  body { font: 14pt/1.5 sans-serif; margin: 2cm; }
  section { break-after: page; }
  h1, code { overflow-wrap: anywhere; }
</style>
`;

/**
 * Only the owner of the file can read the sheets, because anybody who has a link can set a password.
 * Nothing is escaped, because usernames and URLs cannot contain `<`.
 */
export function openSheets(path: string): (username: string, link: string, expiresAt: string) => void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new Error(`Cannot create "${path}" for --sheets: ${reasonOf(error)}; name another file`);
  }
  writeSync(file, HEAD);
  return (username, link, expiresAt) => {
    writeSync(file, `<section>
<h1>${username}</h1>
<p>Open this address before ${expiresAt.slice(0, 16).replace('T', ' ')} UTC, and choose your password.
The address works only once.</p>
<p><code>${link}</code></p>
</section>
`);
  };
}
