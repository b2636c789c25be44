/**
 * Standard output as a sink of lines. `process.stdout` waits for the reader of a pipe, and the whole process with it; here
 * a thread of the pool writes instead, and does not wait either: one that waits keeps the process from ending, and
 * passwords from being hashed. Whoever read the log may be gone, and then there is nobody to tell.
 */
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import type { LineSink } from '../telemetry/line-writer.ts';

export const STDOUT = 1;
/** POSIX's least PIPE_BUF is 512, Linux has 4096: up to here a write to a pipe is not mixed with those of other workers. */
const ATOMIC_BYTES = 4_096;
/** When a pipe that does not wait is full. */
const RETRY_MS = 10;
/** How long the end of the process waits for a reader to make room for the last lines. */
const LAST_LINES_MS = 500;

/** @param isShared - Other processes write to the same standard output. */
export function createStandardOutput(isShared: boolean): LineSink {
  const file = openWithoutWaiting();
  /** What waits for room in the pipe. */
  let held: Buffer = Buffer.alloc(0);

  function writeAll(bytes: Buffer, done: () => void): void {
    held = Buffer.alloc(0);
    write(file, bytes, (error, writtenBytes) => {
      if (error?.code === 'EAGAIN') {
        held = bytes;
        setTimeout(writeAll, RETRY_MS, bytes, done);
      } else if (error !== null || writtenBytes === bytes.length) {
        done();
      } else {
        writeAll(bytes.subarray(writtenBytes), done);
      }
    });
  }

  /** Writes as many whole lines at a time as are sure to stay together; a longer line is on its own. */
  function writeLines(bytes: Buffer, done: () => void): void {
    const end = bytes.length <= ATOMIC_BYTES ? bytes.length : lineEndBefore(bytes, ATOMIC_BYTES);
    writeAll(bytes.subarray(0, end), () => (end === bytes.length ? done() : writeLines(bytes.subarray(end), done)));
  }

  return {
    write: isShared ? writeLines : writeAll,
    writeNow: (bytes) => writeSoon(file, Buffer.concat([held, bytes])),
  };
}

/**
 * Not to wait is a property of an opening, which all share who got it from there, and which each Node.js takes back when it
 * ends. So a pipe is opened anew; where that cannot be, Node.js sees to it when it looks at `process.stdout`.
 */
function openWithoutWaiting(): number {
  const kind = fstatSync(STDOUT);
  if (!kind.isFIFO() && !kind.isSocket()) {
    return STDOUT; // a file or a terminal, which is never full
  }
  try {
    return openSync(`/proc/self/fd/${STDOUT}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    void process.stdout;
    return STDOUT; // a socket, a pipe of another user, or no Linux
  }
}

function lineEndBefore(bytes: Buffer, limit: number): number {
  return bytes.lastIndexOf('\n', limit - 1) + 1 || bytes.indexOf('\n') + 1 || bytes.length;
}

function writeSoon(file: number, bytes: Buffer): void {
  const endsAtMs = performance.now() + LAST_LINES_MS;
  let rest = bytes;
  while (rest.length > 0 && performance.now() < endsAtMs) {
    try {
      rest = rest.subarray(writeSync(file, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
        return; // closed: the process ends all the same
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
