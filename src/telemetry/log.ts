/** The log. Text from a request can forge neither a line nor a field, and cannot control a terminal. */
import { toTimestamp, type Clock } from '../model/clock.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields contain no secrets, no bodies, and no values of query parameters. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

export type LogEntry = LogFields & Readonly<{ time: string, level: LogLevel, message: string }>;

/** Makes a line of the log, without its line break. */
export type ToLine = (entry: LogEntry) => string;

/** If more than `WAITING_MAX` characters wait for a slow reader, further lines are dropped and counted. */
const WAITING_MAX = 4_194_304;

/** Writes lines in batches, because a system call for each line would take longer than a request. */
export function startLog(levelMin: LogLevel, clock: Clock, toLine?: ToLine) {
  const { stdout } = process;
  const log = createLog(levelMin, write, clock, toLine);
  let batch = '';
  let dropped = 0;
  stdout.on('error', () => {}); // the process continues even if nothing reads the log

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

export function createLog(
  levelMin: LogLevel, write: (line: string) => void, clock: Clock, toLine: ToLine = toSafeJson,
): Log {
  return (level, message, fields) => {
    if (LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(levelMin)) {
      write(`${toLine({ time: toTimestamp(clock()), level, message, ...fields })}\n`);
    }
  };
}

/** DEL, the C1 control characters, and the direction marks and line separators of Unicode. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** `JSON.stringify` itself escapes the control characters below U+0020. */
export function toSafeJson(value: object | string): string {
  return JSON.stringify(value)
    .replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
