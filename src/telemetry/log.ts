/**
 * The log: one JSON object per line, unless another format is chosen. Every text stays within its string, so
 * no client can forge a line or control a terminal. JSON escapes line feeds and the control characters of
 * ASCII. This file escapes the other characters that terminals and log viewers interpret.
 */

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Members of a line; never a secret, a body, or a query value. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The members of every line, in addition to its fields. */
interface LogEntry {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
}

/** @returns One line, line feed included. */
export type LogFormat = (entry: LogEntry & LogFields) => string;

export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/** Matches DEL, the C1 control characters, and the direction marks and line separators of Unicode. */
const UNSAFE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * @param levelMin - Less important lines are left out.
 * @param format - JSON unless given.
 * @param write - Takes one line, line feed included.
 * @param now - Returns the timestamp of a line.
 */
export function createLog(
  levelMin: LogLevel,
  { write, now, format = toJsonLine }: {
    readonly write: (line: string) => void;
    readonly now: () => string;
    readonly format?: LogFormat;
  },
): Log {
  const ordinalMin = LOG_LEVELS.indexOf(levelMin);
  return (level, message, fields) => {
    if (LOG_LEVELS.indexOf(level) >= ordinalMin) {
      write(format({ time: now(), level, message, ...fields }));
    }
  };
}

export function toJsonLine(entry: LogEntry & LogFields): string {
  return `${escapeUnsafe(JSON.stringify(entry))}\n`;
}

/** @param json - JSON text; its control characters of ASCII are escaped already. */
export function escapeUnsafe(json: string): string {
  if (Buffer.byteLength(json) === json.length && !json.includes('\x7f')) {
    return json; // most lines are ASCII, and this test takes a quarter of the time of `replace`
  }
  return json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
