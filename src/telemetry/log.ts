/** The log. Text from a request can forge neither a line nor a field, and cannot control a terminal. */
import { toTimestamp, type Clock } from '../model/clock.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields contain no secrets, no bodies, and no values of query parameters. */
type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

type LogEntry = LogFields & Readonly<{ time: string, level: LogLevel, message: string }>;

/** If more than `WAITING_MAX` characters wait for a slow reader, further lines are dropped and counted. */
const WAITING_MAX = 4_194_304;

/** Writes lines in batches, because a system call for each line would take longer than a request. */
export function startLog(levelMin: LogLevel, format: 'auto' | 'json' | 'pretty', clock: Clock) {
  const { stdout } = process;
  const log = createLog(levelMin, write, clock,
    format !== 'auto' ? format : stdout.isTTY ? 'pretty' : 'json');
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
  levelMin: LogLevel, write: (line: string) => void, clock: Clock, format: 'json' | 'pretty' = 'json',
): Log {
  const toLine = format === 'json' ? toSafeJson : toPrettyLine;
  return (level, message, fields) => {
    if (LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(levelMin)) {
      write(`${toLine({ time: toTimestamp(clock()), level, message, ...fields })}\n`);
    }
  };
}

/** DEL, the C1 control characters, and the direction marks and line separators of Unicode. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** `JSON.stringify` itself escapes the control characters below U+0020. */
function toSafeJson(value: object | string): string {
  return JSON.stringify(value)
    .replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Makes a line for people to read, such as `12:00:07 GET /api/v1/users 200 3 ms user=1` for a request. */
function toPrettyLine({ time, level, message, ...fields }: LogEntry): string {
  const { method = '-', route = '-', status = '-', duration_ms: ms, user_id: user, address } = fields;
  const duration = ms === undefined ? [] : [`${Math.round(Number(ms))} ms`];
  const words = message === 'request'
    ? [...[method, route, status].map(toWord), ...duration, ...toPairs({ user, address })]
    : [level.toUpperCase().padEnd(5), toSafeJson(message).slice(1, -1), ...toPairs(fields)];
  return [new Date(time).toTimeString().slice(0, 8), ...words].join(' ');
}

function toPairs(fields: LogFields): string[] {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${toWord(value)}`]));
}

function toWord(value: LogFields[string]): string {
  const text = String(value);
  return /^[\w.:/{}@+-]+$/.test(text) ? text : toSafeJson(text);
}
