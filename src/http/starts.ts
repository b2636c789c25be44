/**
 * Starts the requests of one turn of the event loop together, at its end: the same code runs for all of them,
 * their reads of the database share a snapshot, their writes share a transaction, and their responses leave
 * together. Without this, a read takes 1.4 to 1.9 times the processor time. A flood of requests is spread
 * over several turns, in which connections are read and written.
 */
import type { ServerResponse } from 'node:http';

/**
 * The most requests that start in a turn. Their responses are in memory at the same time, so there should be
 * few. Fewer than 16 cost more processor time for each.
 */
const TOGETHER_MAX = 16;

/** When starting has taken this long, the next requests wait for another turn. */
const TOGETHER_MS_MAX = 1;

/**
 * @param start - Begins to answer a request.
 * @returns A function that takes the future response to a request when the request arrives.
 */
export function createStarts(
  start: (response: ServerResponse, arrivedAtMs: number) => void,
): (response: ServerResponse) => void {
  const arrived: { readonly response: ServerResponse; readonly atMs: number }[] = [];

  function startTogether(): void {
    const untilMs = performance.now() + TOGETHER_MS_MAX;
    let count = 0;
    do {
      const next = arrived.shift();
      if (next?.response.req.socket.writable) { // the client may have gone
        start(next.response, next.atMs);
      }
      count += 1;
    } while (arrived.length > 0 && count < TOGETHER_MAX && performance.now() < untilMs);
    if (arrived.length > 0) {
      setImmediate(startTogether);
    }
  }

  return (response) => {
    const { complete, headers } = response.req;
    if (!complete && headers['transfer-encoding'] !== undefined) {
      // A packet can hold thousands of chunks, which take more memory while they wait.
      start(response, performance.now());
    } else if (arrived.push({ response, atMs: performance.now() }) === 1) {
      setImmediate(startTogether);
    }
  };
}
