/**
 * Collects log lines and writes them in batches, one at a time: a system call for each request would cost
 * more than the request. While the reader of a pipe or socket is slow, a bounded number of lines waits; more
 * are dropped and counted, so that no reader can hold up the service or its memory. Without a reader lines
 * are lost, and the service goes on.
 *
 * Node.js writes to pipes and sockets without waiting, and keeps what they do not take yet. It does wait for
 * files and terminals.
 */
import type { Writable } from 'node:stream';

interface LineWriter {
  /** @param line - With its line end. */
  readonly write: (line: string) => void;
  /** Writes what is left; fulfilled when it has left the process, or when its reader is too slow. */
  readonly end: () => Promise<void>;
}

/** A line is on its way after this time at the latest. */
const FLUSH_INTERVAL_MS = 100;
/** About 120 lines. */
const BATCH_LENGTH = 32_768;
/** At most as much waits for the reader, besides the batch that is on its way and as long at most. */
const WAITING_LENGTH_MAX = 4_194_304;
/** How long the end of the process waits for the reader. */
const LAST_LINES_MS = 500;

/** @param toLossLine - The line that reports how many were dropped. */
export function createLineWriter(output: Writable, toLossLine: (count: number) => string): LineWriter {
  let waiting = '';
  let droppedCount = 0;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  /** Set in the end, to be told that everything is written. */
  let onIdle: (() => void) | undefined;

  function write(line: string): void {
    if (waiting.length > WAITING_LENGTH_MAX) {
      droppedCount += 1;
    } else {
      waiting += line;
      writeSoon();
    }
  }

  function writeSoon(): void {
    if (isWriting) {
      return;
    }
    if (onIdle !== undefined || waiting.length >= BATCH_LENGTH) {
      writeBatch();
    } else if (waiting !== '') {
      timer ??= setTimeout(writeBatch, FLUSH_INTERVAL_MS).unref();
    }
  }

  function writeBatch(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === '') {
      onIdle?.();
      return;
    }
    const batch = droppedCount > 0 ? waiting + toLossLine(droppedCount) : waiting;
    waiting = '';
    droppedCount = 0;
    isWriting = true;
    output.write(batch, () => {
      isWriting = false;
      writeSoon();
    });
  }

  output.on('error', () => {}); // the reader is gone, and there is nobody to tell
  return {
    write,
    end: () =>
      new Promise((resolve) => {
        onIdle = resolve;
        setTimeout(resolve, LAST_LINES_MS);
        writeSoon();
      }),
  };
}
