/** The log of a process that serves, on its standard output. */
import type { Config } from '../config.ts';
import { toTimestamp, type Clock } from '../model/clock.ts';
import { describeError } from '../telemetry/error-text.ts';
import { createLineWriter } from '../telemetry/line-writer.ts';
import { createLog, toSafeJson, type Log } from '../telemetry/log.ts';
import { toPrettyLine } from '../telemetry/pretty.ts';

interface ProcessLog {
  readonly log: Log;
  /** Waits until all lines are written; gives up when the reader is too slow. */
  readonly end: () => Promise<void>;
}

export function createProcessLog(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>, clock: Clock,
): ProcessLog {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY);
  const { write, end } = createLineWriter(process.stdout, (count) => {
    log('warn', 'log lines dropped', { count });
  });
  const now = () => toTimestamp(clock());
  const log = createLog(logLevel, { write, now, format: isPretty ? toPrettyLine : toSafeJson });
  return { log, end };
}

/** Logs warnings of Node.js and unexpected errors. @param exit - Ends the process. */
export function logProcessEvents(log: Log, exit: () => void): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    const isAboutSqlite = name === 'ExperimentalWarning' && message.startsWith('SQLite'); // expected
    log(isAboutSqlite ? 'debug' : 'warn', message, { warning: name });
  });
  process.on('uncaughtException', (error) => {
    log('error', 'uncaught exception', { error: describeError(error) });
    exit();
  });
}
