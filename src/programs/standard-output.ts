/**
 * Standard output as a sink of lines. `process.stdout` waits for the reader of a pipe, and the whole process with it; here a
 * thread of the pool waits instead. Whoever read the log may be gone, and then there is nobody to tell.
 */
import { write, writeSync } from 'node:fs';
import type { LineSink } from '../telemetry/line-writer.ts';

const STDOUT = 1;
/** When a pipe that does not wait is full. */
const RETRY_MS = 10;

export const standardOutput: LineSink = {
  write: writeAll,
  writeNow(bytes) {
    try {
      writeSync(STDOUT, bytes);
    } catch {
      // full or closed: the process ends all the same
    }
  },
};

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
