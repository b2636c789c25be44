/** Writes the log in batches, because a system call for each line would take longer than a request. */
import type { Clock } from '../model/clock.ts';
import { createLog, type LogLevel } from './log.ts';

/** If more characters than this wait for a slow reader, further log lines are dropped and counted. */
const WAITING_MAX = 4_194_304;

export function startLog(levelMin: LogLevel, format: 'auto' | 'json' | 'pretty', clock: Clock) {
  const { stdout } = process;
  const log = createLog(levelMin, write, clock,
    format !== 'auto' ? format : stdout.isTTY ? 'pretty' : 'json');
  let batch = '';
  let dropped = 0;
  stdout.on('error', () => {}); // if the reader of the log is gone, the process continues

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
      setTimeout(flush, 100).unref(); // each line waits for at most 100 ms
    }
    batch += line;
  }

  function flush(onWritten?: () => void): void {
    stdout.write(batch, onWritten);
    batch = '';
  }

  return {
    log,
    /** Ends the process when the remaining lines are written, but after 500 ms at the latest. */
    exit(code: number): void {
      setTimeout(() => process.exit(code), 500);
      flush(() => process.exit(code));
    },
  };
}
