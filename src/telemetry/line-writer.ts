/**
 * Writes log lines in batches, because a system call for each request would cost more than the request. If
 * the reader is slow, lines wait in memory up to a bound; further lines are dropped and counted.
 */
import type { Writable } from 'node:stream';

/** The most characters of waiting lines. */
const WAITING_MAX = 4_194_304;
/** How long the process waits at its end for the reader of the log. */
const LAST_LINES_MS = 500;

/** @param reportLoss - Called when lines fit into the memory again, to log how many were dropped. */
export function createLineWriter(output: Writable, reportLoss: (count: number) => void) {
  let batch = '';
  let dropped = 0;
  output.on('error', () => {}); // a reader of the log that is gone must not end the process

  function flush(onWritten?: () => void): void {
    output.write(batch, onWritten);
    batch = '';
  }

  return {
    write(line: string): void {
      if (output.writableLength + batch.length > WAITING_MAX) {
        dropped += 1;
        return;
      }
      if (dropped > 0) {
        const count = dropped;
        dropped = 0;
        reportLoss(count);
      }
      if (batch === '') {
        setTimeout(flush, 100).unref(); // no line waits for more than 100 ms
      }
      batch += line;
    },
    /** Writes the remaining lines. Resolves when the lines have left the process, or after a timeout. */
    end: () => new Promise<void>((resolve) => {
      setTimeout(resolve, LAST_LINES_MS);
      flush(resolve);
    }),
  };
}
