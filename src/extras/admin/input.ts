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
 * The password is the first line of a file or of standard input. At a terminal, the user types the password
 * twice, without seeing the password. A password is never an argument, because every user of the machine can
 * see the arguments of a program.
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
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT')); // in raw mode, Ctrl-C sends no signal
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
