/** The log of the service, on standard output. */
import type { Config } from '../config.ts';
import type { Clock } from '../model/clock.ts';
import { EXIT_FAILURE } from '../runtime.ts';
import { describeError } from '../telemetry/error-text.ts';
import { createLineWriter } from '../telemetry/line-writer.ts';
import { createLog, toSafeJson, type Log } from '../telemetry/log.ts';
import { toPrettyLine } from '../telemetry/pretty.ts';

/** @returns The log. `exit` ends the process when all lines are written, or after a timeout. */
export function startProcessLog({ logLevel, logFormat }: Config, clock: Clock) {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY);
  const { write, end } = createLineWriter(process.stdout, (count) =>
    log('warn', 'log lines dropped', { count }));
  const log: Log = createLog(logLevel, write, clock, isPretty ? toPrettyLine : toSafeJson);
  const exit = (code: number): void => void end().then(() => process.exit(code));
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    // At every start, Node.js warns that SQLite is experimental.
    const isAboutSqlite = name === 'ExperimentalWarning' && message.startsWith('SQLite');
    log(isAboutSqlite ? 'debug' : 'warn', message, { warning: name });
  });
  process.on('uncaughtException', (error) => {
    log('error', 'uncaught exception', { error: describeError(error) });
    exit(EXIT_FAILURE);
  });
  return { log, exit };
}
