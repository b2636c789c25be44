/** The log of a process that serves, on its standard output. */
import { isatty } from 'node:tty';
import type { Config } from '../config.ts';
import { toTimestamp, type Clock } from '../model/clock.ts';
import { describeError } from '../telemetry/error-text.ts';
import { createLineWriter } from '../telemetry/line-writer.ts';
import { createLog, toJsonLine, type Log } from '../telemetry/log.ts';
import { createPrettyFormat } from '../telemetry/pretty.ts';

const STDOUT = 1;

interface ProcessLog {
  readonly log: Log;
  /** Waits until all lines are written; gives up when the reader is too slow. */
  readonly end: () => Promise<void>;
}

export function createProcessLog(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  clock: Clock,
): ProcessLog {
  const now = () => toTimestamp(clock());
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && isatty(STDOUT));
  const hasColours = isatty(STDOUT) && process.stdout.hasColors(); // false if NO_COLOR is set
  const format = isPretty ? createPrettyFormat(hasColours) : toJsonLine;
  const toLossLine = (count: number) =>
    format({ time: now(), level: 'warn', message: 'log lines dropped', count });
  const { write, end } = createLineWriter(process.stdout, toLossLine);
  return {
    log: createLog(logLevel, { write, now, format }),
    end,
  };
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
