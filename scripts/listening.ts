/** Reads the address of a newly started service from its log in JSON, and discards the rest of the log. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** @returns The URL of the service; `undefined` if the service ended before it listened. */
export async function readUrl(log: Readable): Promise<string | undefined> {
  let url: string | undefined;
  for await (const line of createInterface({ input: log })) {
    if (line.includes('"message":"listening"')) {
      ({ url } = JSON.parse(line));
      break; // the end of the loop pauses the log
    }
  }
  log.resume();
  return url;
}

/** @throws If the service ended before it listened. */
export async function readPort(log: Readable | null): Promise<number> {
  const url = log && await readUrl(log);
  if (!url) {
    throw new Error('The service ended before it listened');
  }
  return Number(new URL(url).port);
}
