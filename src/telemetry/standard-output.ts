/**
 * The log of the service, on standard output. Lines are written in batches, because a system call for each
 * request would cost more than the request. If the reader is slow, lines wait in memory up to a bound;
 * further lines are dropped and counted.
 */
import type { Clock } from '../model/clock.ts';
import { createLog, type LogLevel } from './log.ts';
import { toPrettyLine } from './pretty.ts';

/** The most characters of waiting lines. */
const WAITING_MAX = 4_194_304;
/** How long the process waits at its end for the reader of the log. */
const LAST_LINES_MS = 500;

export function startLog(levelMin: LogLevel, format: 'auto' | 'json' | 'pretty', clock: Clock) {
  const { stdout } = process;
  const isPretty = format === 'pretty' || (format === 'auto' && stdout.isTTY);
  const log = createLog(levelMin, write, clock, isPretty ? toPrettyLine : undefined);
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

  /** Resolves when the remaining lines have left the process, or after a timeout. */
  const end = () => new Promise<void>((resolve) => {
    setTimeout(resolve, LAST_LINES_MS);
    flush(resolve);
  });

  return { log, end };
}
