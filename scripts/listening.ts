/** Reads the address of a newly started service from the service's JSON log, and discards the rest. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/** @returns The URL of the service. @throws Error if the service ended before it listened. */
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
