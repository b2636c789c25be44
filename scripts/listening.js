/** Waits until a service that a script has started listens. */
import { createInterface } from 'node:readline';

/**
 * Reads the log of a service up to the line that says where it listens, and discards all further lines.
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
      break; // the loop also pauses the log when it ends
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
