/**
 * Writes log lines to a stream without ever waiting for its reader. Lines are written in batches, because a
 * system call for each request would cost more than the request.
 *
 * Node.js waits for files and terminals, but not for pipes and sockets. If a reader is slow, lines wait in
 * memory up to a bound, and lines beyond the bound are dropped and counted. If the reader is gone, lines are
 * lost.
 */
import type { Writable } from 'node:stream';

/** The most characters that wait for the reader. */
const WAITING_MAX = 4_194_304;
/** How long the end of the process waits for the reader. */
const LAST_LINES_MS = 500;

/** @param reportLoss - Called when lines fit again. Writes a line with the number of dropped lines. */
export function createLineWriter(output: Writable, reportLoss: (count: number) => void) {
  let batch = '';
  let dropped = 0;
  output.on('error', () => {}); // the reader is gone, which must not end the process

  function flush(onWritten?: () => void): void {
    output.write(batch, onWritten);
    batch = '';
  }

  return {
    /** @param line - Includes the line feed. */
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
        setTimeout(flush, 100).unref(); // no line waits longer
      }
      batch += line;
    },
    /** Writes the remaining lines. Resolves when they have left the process, or after a timeout. */
    end: () => new Promise<void>((resolve) => {
      setTimeout(resolve, LAST_LINES_MS);
      flush(resolve);
    }),
  };
}
