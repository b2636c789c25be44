/** Reads the address of a newly started service from its JSON log, and discards the rest of the log. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

export async function readUrl(log: Readable | null): Promise<string> {
  for await (const line of createInterface({ input: log ?? Readable.from([]) })) {
    if (line.includes('"message":"listening"')) {
      log?.resume(); // an unread log would fill the pipe and block the service
      return new URL(JSON.parse(line).url).origin;
    }
  }
  throw new Error('The service ended before it listened');
}

export async function readPort(log: Readable | null): Promise<number> {
  return Number(new URL(await readUrl(log)).port);
}
