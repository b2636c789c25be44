/** The log, one JSON object per line. No text in a line can forge another line or control a terminal. */
import { toTimestamp, type Clock } from '../model/clock.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The members of a log line; never a secret, a body, or a query value. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

export type LogEntry = LogFields & Readonly<{ time: string, level: LogLevel, message: string }>;

export function createLog(
  levelMin: LogLevel, write: (line: string) => void, clock: Clock,
  format: (entry: LogEntry) => string = toSafeJson,
): Log {
  return (level, message, fields) => {
    if (LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(levelMin)) {
      write(`${format({ time: toTimestamp(clock()), level, message, ...fields })}\n`);
    }
  };
}

/** DEL, the C1 control characters, and the direction marks and line separators of Unicode. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** @returns JSON without `UNSAFE` characters. JSON itself escapes the control characters of ASCII. */
export function toSafeJson(value: object | string): string {
  return JSON.stringify(value)
    .replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
