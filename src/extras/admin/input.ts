/** Reads what a command takes from a file, from a terminal or from standard input. */
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
 * Reads a password. Arguments are not used, because every user of the machine can see them.
 *
 * @param file - The first line of this file is the password. Without a file, the first line of standard input
 *   is the password. At a terminal, the user types the password twice, and the terminal does not show it.
 * @throws When the file cannot be read, or when two different passwords are typed.
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
