/** Waits until a newly started service accepts connections. */
import { createInterface } from 'node:readline';

/**
 * Reads the log of a service up to the line with the address of the service, and discards all later lines.
 *
 * @param {import('node:stream').Readable} log - The standard output of the service, as JSON.
 * @returns {Promise<string | undefined>} The URL of the service; `undefined` if the service ended before it
 *   listened.
 */
export async function readUrl(log) {
  let url;
  for await (const line of createInterface({ input: log })) {
    if (line.includes('"message":"listening"')) {
      ({ url } = JSON.parse(line));
      break; // this ends the loop, which pauses the log
    }
  }
  log.resume();
  return url;
}

/**
 * @param {import('node:stream').Readable | null} log - The standard output of the service, as JSON.
 * @returns {Promise<number>} The port on which the service listens.
 * @throws {Error} If the service ended before it listened.
 */
export async function readPort(log) {
  const url = log && await readUrl(log);
  if (!url) {
    throw new Error('The service ended before it listened');
  }
  return Number(new URL(url).port);
}
