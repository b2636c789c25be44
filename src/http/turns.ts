/**
 * Starts requests in turns of the event loop. Requests that arrive together start in a row at the end of
 * their turn: the same code runs for all of them, their reads of the database share a snapshot, their writes
 * share a transaction, and their responses leave together. A flood of requests is spread over several turns,
 * in which connections are read and written.
 */
import type { Exchange } from './connections.ts';

/**
 * The most requests that start in a turn. Their responses are in memory at the same time, so there should be
 * few. Fewer than 16 cost more processor time for each.
 */
const TOGETHER_MAX = 16;

/** When starting has taken this long, the next requests wait for another turn. */
const TOGETHER_MS_MAX = 1;

/**
 * @param start - Begins to answer a request.
 * @returns A function that takes a request when it arrives.
 */
export function createTurns(
  start: (exchange: Exchange, arrivedAtMs: number) => void,
): (exchange: Exchange) => void {
  const arrived: { readonly exchange: Exchange; readonly atMs: number }[] = [];

  function startTogether(): void {
    const untilMs = performance.now() + TOGETHER_MS_MAX;
    let count = 0;
    do {
      const next = arrived.shift();
      if (next?.exchange.incoming.socket.writable) { // the client may have gone
        start(next.exchange, next.atMs);
      }
      count += 1;
    } while (arrived.length > 0 && count < TOGETHER_MAX && performance.now() < untilMs);
    if (arrived.length > 0) {
      setImmediate(startTogether);
    }
  }

  return (exchange) => {
    const { complete, headers } = exchange.incoming;
    if (!complete && headers['transfer-encoding'] !== undefined) {
      // A packet can hold thousands of chunks, which take more memory while they wait.
      start(exchange, performance.now());
    } else if (arrived.push({ exchange, atMs: performance.now() }) === 1) {
      setImmediate(startTogether);
    }
  };
}
