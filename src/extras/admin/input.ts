/** Reads files and passwords for commands. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { reasonOf } from '../../telemetry/error-text.ts';

export function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`Cannot read "${file}": ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * The password is the first line of the file or of standard input. A terminal asks twice, and does not show
 * the password. No argument is a password, because every user of the machine can see arguments.
 */
export async function readPassword(file: string | undefined): Promise<string> {
  if (file !== undefined) {
    return firstLine(readFile(file).toString('utf8'));
  }
  return process.stdin.isTTY ? askTwice() : firstLine(await text(process.stdin));
}

async function askTwice(): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT')); // a raw terminal sends no signal
  const [first, second] = [await ask('Password: '), await ask('Repeat the password: ')];
  terminal.close();
  if (first !== second) {
    throw new Error('The two passwords differ: nothing was changed');
  }
  return first;

  async function ask(question: string): Promise<string> {
    process.stderr.write(question);
    const answer = await terminal.question('');
    process.stderr.write('\n');
    return answer;
  }
}

function firstLine(content: string): string {
  return content.split(/\r?\n/, 1)[0] ?? '';
}
