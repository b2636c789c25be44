/** The log on standard output, in batches: a system call for each line would cost more than a request. */
import type { Clock } from '../model/clock.ts';
import { createLog, type LogLevel } from './log.ts';

/** If this many characters wait for a slow reader of the log, new lines are dropped and counted. */
const WAITING_MAX = 4_194_304;

export function startLog(levelMin: LogLevel, format: 'auto' | 'json' | 'pretty', clock: Clock) {
  const { stdout } = process;
  const log = createLog(levelMin, write, clock,
    format !== 'auto' ? format : stdout.isTTY ? 'pretty' : 'json');
  let batch = '';
  let dropped = 0;
  stdout.on('error', () => {}); // a reader of the log that is gone must not end the process

  function write(line: string): void {
    if (stdout.writableLength + batch.length > WAITING_MAX) {
      dropped += 1;
      return;
    }
    if (dropped > 0) {
      const count = dropped;
      dropped = 0;
      log('warn', 'log lines dropped', { count });
    }
    if (batch === '') {
      setTimeout(flush, 100).unref(); // no line waits for more than 100 ms
    }
    batch += line;
  }

  function flush(onWritten?: () => void): void {
    stdout.write(batch, onWritten);
    batch = '';
  }

  return {
    log,
    /** Ends the process when the remaining lines are written, or after 500 ms without a reader. */
    exit(code: number): void {
      setTimeout(() => process.exit(code), 500);
      flush(() => process.exit(code));
    },
  };
}
