/** The log of a process that serves, on its standard output. */
import type { Config } from '../config.ts';
import { toTimestamp, type Clock } from '../model/clock.ts';
import { describeError } from '../telemetry/error-text.ts';
import { createLineWriter } from '../telemetry/line-writer.ts';
import { createLog, toSafeJson, type Log } from '../telemetry/log.ts';
import { toPrettyLine } from '../telemetry/pretty.ts';

/** @returns The log, and a function that waits until all lines are written, or the reader is too slow. */
export function createProcessLog({ logLevel, logFormat }: Config, clock: Clock) {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY);
  const { write, end } = createLineWriter(process.stdout, (count) => {
    log('warn', 'log lines dropped', { count });
  });
  const now = () => toTimestamp(clock());
  const log: Log = createLog(logLevel, { write, now, format: isPretty ? toPrettyLine : toSafeJson });
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
