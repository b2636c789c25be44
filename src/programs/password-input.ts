/** Takes a password from a file or from standard input: never from an argument, which every user of the machine can see. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/**
 * @param file - Its first line is the password; without a file, the first line of standard input is. At a terminal the
 *   password is asked for and not shown.
 * @throws When the file cannot be read.
 */
export async function readPassword(file: string | undefined): Promise<string> {
  if (file !== undefined) {
    return firstLine(readFileSync(file, 'utf8'));
  }
  return process.stdin.isTTY ? askUnseen('Password: ') : firstLine(await readAll(process.stdin));
}

async function askUnseen(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const answer = await terminal.question('');
  terminal.close();
  process.stderr.write('\n');
  return answer;
}

async function readAll(input: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? '';
}
