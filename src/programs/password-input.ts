/**
 * Reads a password from a file or from standard input, never from an argument, which every user of the
 * machine can see.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { reasonOf } from '../telemetry/log.ts';
import { Refusal } from './refusal.ts';

/**
 * @param file - Its first line is the password. Without a file, the first line of standard input is the
 *   password. At a terminal, the user types the password twice, and it is not shown.
 * @throws Refusal when the file cannot be read, or when two different passwords are typed.
 */
export async function readPassword(file: string | undefined): Promise<string> {
  if (file !== undefined) {
    return firstLine(readFile(file));
  }
  return process.stdin.isTTY ? askTwice() : firstLine(await text(process.stdin));
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refusal(`Cannot read the password from "${file}": ${reasonOf(error)}`, { cause: error });
  }
}

async function askTwice(): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT')); // a raw terminal sends no signal
  const [first, second] = [await ask('Password: '), await ask('The same password again: ')];
  terminal.close();
  if (first !== second) {
    throw new Refusal('The two passwords differ: nothing was changed');
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
