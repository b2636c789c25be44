/**
 * Standard output as a sink of lines. `process.stdout` waits for the reader of a pipe, and the whole process with it; here a
 * thread of the pool waits instead. Whoever read the log may be gone, and then there is nobody to tell.
 */
import { write, writeSync } from 'node:fs';
import type { LineSink } from '../telemetry/line-writer.ts';

const STDOUT = 1;
/** POSIX's least PIPE_BUF is 512, Linux has 4096: up to here a write to a pipe is not mixed with those of other workers. */
const ATOMIC_BYTES = 4_096;
/** When a pipe that does not wait is full. */
const RETRY_MS = 10;

/** @param isShared - Other processes write to the same standard output. */
export function createStandardOutput(isShared: boolean): LineSink {
  return {
    write: isShared ? writeLines : writeAll,
    writeNow(bytes) {
      try {
        writeSync(STDOUT, bytes);
      } catch {
        // full or closed: the process ends all the same
      }
    },
  };
}

/** Writes as many whole lines at a time as are sure to stay together; a longer line is on its own. */
function writeLines(bytes: Buffer, done: () => void): void {
  const end = bytes.length <= ATOMIC_BYTES ? bytes.length : lineEndBefore(bytes, ATOMIC_BYTES);
  writeAll(bytes.subarray(0, end), () => (end === bytes.length ? done() : writeLines(bytes.subarray(end), done)));
}

function lineEndBefore(bytes: Buffer, limit: number): number {
  return bytes.lastIndexOf('\n', limit - 1) + 1 || bytes.indexOf('\n') + 1 || bytes.length;
}

function writeAll(bytes: Buffer, done: () => void): void {
  write(STDOUT, bytes, (error, writtenBytes) => {
    if (error?.code === 'EAGAIN') {
      setTimeout(writeAll, RETRY_MS, bytes, done);
    } else if (error !== null || writtenBytes === bytes.length) {
      done();
    } else {
      writeAll(bytes.subarray(writtenBytes), done);
    }
  });
}
