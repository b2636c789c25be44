/**
 * Buffers log lines and writes them in batches, one batch at a time: a system call for each request would
 * cost more than the request. When the reader of a pipe or socket is slow, lines wait, up to a bound. Further
 * lines are dropped and counted, so that no reader can block the service or fill its memory. When the reader
 * is gone, lines are lost and the service continues.
 *
 * Node.js writes to pipes and sockets asynchronously, and buffers what they do not take yet. Writes to files
 * and terminals are synchronous.
 */
import type { Writable } from 'node:stream';

interface LineWriter {
  /** @param line - Includes the line feed. */
  readonly write: (line: string) => void;
  /** Writes the remaining lines. Resolves when they have left the process, or after a timeout. */
  readonly end: () => Promise<void>;
}

/** The longest time that a line waits for others. */
const FLUSH_INTERVAL_MS = 100;
/** The most characters in a batch: about 120 lines. */
const BATCH_LENGTH = 32_768;
/** The most characters that wait. The batch that is being written may have as many more. */
const WAITING_LENGTH_MAX = 4_194_304;
/** How long shutdown waits for the reader. */
const LAST_LINES_MS = 500;

/** @param toLossLine - Makes the line that reports how many lines were dropped. */
export function createLineWriter(output: Writable, toLossLine: (count: number) => string): LineWriter {
  let waiting = '';
  let droppedCount = 0;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  /** Set by `end`; called when everything is written. */
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

  output.on('error', () => {}); // the reader is gone
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
