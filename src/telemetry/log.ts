/**
 * The log: one JSON object per line, unless another format is chosen. Every text stays within its string, so
 * no client can forge a line or control a terminal. JSON escapes line feeds and the control characters of
 * ASCII. This file escapes the other characters that terminals and log viewers interpret.
 *
 * Each request is one line, and at the same time an event that metrics count.
 */
import type { Writable } from 'node:stream';
import { getSystemErrorMessage } from 'node:util';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Members of a line; never a secret, a body, or a query value. */
type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The members of every line, in addition to its fields. */
interface LogEntry {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  /** The number of the worker that wrote the line, if there are several. */
  readonly worker?: number | undefined;
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
 * @param worker - The number of this process among several.
 */
export function createLog(
  levelMin: LogLevel,
  { write, now, format = toJsonLine, worker }: {
    readonly write: (line: string) => void;
    readonly now: () => string;
    readonly format?: LogFormat;
    readonly worker?: number | undefined;
  },
): Log {
  const ordinalMin = LOG_LEVELS.indexOf(levelMin);
  return (level, message, fields) => {
    if (LOG_LEVELS.indexOf(level) >= ordinalMin) {
      write(format({ time: now(), level, message, worker, ...fields }));
    }
  };
}

export function toJsonLine(entry: LogEntry & LogFields): string {
  return `${escapeUnsafe(JSON.stringify(entry))}\n`;
}

/** @param json - JSON text; its control characters of ASCII are escaped already. */
function escapeUnsafe(json: string): string {
  if (Buffer.byteLength(json) === json.length && !json.includes('\x7f')) {
    return json; // most lines are ASCII, and this test takes a quarter of the time of `replace`
  }
  return json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const WORD = /^[\w.:/{}@+-]+$/;

const DIM = 2;
const RED = 31;
/** The colour of each level, as SGR parameters (ECMA-48 §8.3.117). */
const LEVEL_COLOURS = { debug: DIM, info: 32, warn: 33, error: RED } as const;

/**
 * Formats log lines for people at a terminal. A request is `12:00:07 GET /api/v1/users 200 3 ms user=1`,
 * any other line `12:00:07 LEVEL message name=value …`. A value with spaces, quotes or
 * control characters is quoted and escaped as in JSON, so no value can forge another field or line.
 */
export function createPrettyFormat(hasColours: boolean): LogFormat {
  function paint(colour: number, text: string): string {
    return hasColours ? `\x1b[${colour}m${text}\x1b[0m` : text;
  }

  function formatFields(fields: LogFields): string[] {
    return Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [`${paint(DIM, `${name}=`)}${toText(value)}`],
    );
  }

  /** Shows the request, its outcome and its user. Only programs need the other fields, and they read JSON. */
  function formatRequest(
    { method = '-', route = '-', status, duration_ms: ms, ...more }: LogFields,
  ): string[] {
    const { user_id: user, address, worker } = more;
    const outcome = Number(status) >= 500 ? paint(RED, String(status)) : String(status);
    const time = ms === undefined ? [] : [`${Math.round(Number(ms))} ms`];
    return [toText(method), toText(route), outcome, ...time, ...formatFields({ user, address, worker })];
  }

  return ({ time, level, message, ...fields }) => {
    const label = paint(LEVEL_COLOURS[level], level.toUpperCase().padEnd(5));
    const isRequest = message === 'request' && 'status' in fields;
    const words = isRequest ? formatRequest(fields) : [label, toPlain(message), ...formatFields(fields)];
    return `${[paint(DIM, toTimeOfDay(time)), ...words].join(' ')}\n`;
  };
}

/** The time of day in the time zone of the process. */
function toTimeOfDay(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}

function toText(value: string | number | boolean): string {
  const text = String(value);
  return WORD.test(text) ? text : toQuoted(text);
}

/** Writes a message without quotes: it is a sentence of our own, or a warning of Node.js. */
function toPlain(message: string): string {
  return toQuoted(message).slice(1, -1);
}

function toQuoted(text: string): string {
  return escapeUnsafe(JSON.stringify(text));
}

interface AccessRecord {
  readonly requestId: string;
  /** The id of the trace that a caller or a proxy began. */
  readonly traceId?: string | undefined;
  readonly method?: string | undefined;
  /** The path template; absent when no route matches. */
  readonly route?: string | undefined;
  readonly status: number;
  /** The time from the end of the header fields to the response. */
  readonly durationMs?: number;
  /** The size of the response without its header fields. */
  readonly bodyBytes: number;
  readonly address: string;
  readonly userId?: number | undefined;
  readonly signIn?: 'password' | 'token' | undefined;
}

/**
 * Records a request, also a malformed one. The line has the route rather than the path, because a path may
 * hold names. It has no query, because people put tokens into queries.
 */
export function logAccess(log: Log, record: AccessRecord): void {
  log('info', 'request', {
    request_id: record.requestId,
    trace_id: record.traceId,
    method: record.method,
    route: record.route,
    status: record.status,
    duration_ms: record.durationMs && Math.round(record.durationMs * 1000) / 1000,
    bytes: record.bodyBytes,
    address: record.address,
    user_id: record.userId,
    sign_in: record.signIn,
  });
}

/** The events that metrics count. The core reports them and does not know who listens. */
export interface Observer {
  requestBegan(): void;
  /** `route` is the path template of the operation, absent when no operation matches. */
  requestEnded(request: {
    readonly route: string | undefined;
    readonly method: string;
    readonly status: number;
    readonly durationMs: number;
  }): void;
  signedIn(outcome: SignInOutcome): void;
}

/** The result of checking the credentials of a request to an operation that needs them. */
export type SignInOutcome = 'password' | 'token' | 'rejected' | 'throttled' | 'busy';

interface LineWriter {
  /** @param line - Includes the line feed. */
  readonly write: (line: string) => void;
  /** Writes the remaining lines. Resolves when they have left the process, or after a timeout. */
  readonly end: () => Promise<void>;
}

/** The longest time that a line waits for others. */
const FLUSH_INTERVAL_MS = 100;
/** The most characters in a batch: about 120 lines. */
const BATCH_LENGTH = 32_768;
/** The most characters that wait. The batch that is being written may have as many more. */
const WAITING_LENGTH_MAX = 4_194_304;
/** How long shutdown waits for the reader. */
const LAST_LINES_MS = 500;

/**
 * Buffers log lines and writes them in batches, one batch at a time: a system call for each request would
 * cost more than the request. When the reader of a pipe or socket is slow, lines wait, up to a bound. Further
 * lines are dropped and counted, so that no reader can block the service or fill its memory. When the reader
 * is gone, lines are lost and the service continues.
 *
 * Node.js writes to pipes and sockets asynchronously, and buffers what they do not take yet. Writes to files
 * and terminals are synchronous.
 *
 * @param toLossLine - Makes the line that reports how many lines were dropped.
 */
export function createLineWriter(output: Writable, toLossLine: (count: number) => string): LineWriter {
  let waiting = '';
  let droppedCount = 0;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  /** Set by `end`; called when everything is written. */
  let onIdle: (() => void) | undefined;

  function write(line: string): void {
    if (waiting.length > WAITING_LENGTH_MAX) {
      droppedCount += 1;
    } else {
      waiting += line;
      writeSoon();
    }
  }

  function writeSoon(): void {
    if (isWriting) {
      return;
    }
    if (onIdle !== undefined || waiting.length >= BATCH_LENGTH) {
      writeBatch();
    } else if (waiting !== '') {
      timer ??= setTimeout(writeBatch, FLUSH_INTERVAL_MS).unref();
    }
  }

  function writeBatch(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === '') {
      onIdle?.();
      return;
    }
    const batch = droppedCount > 0 ? waiting + toLossLine(droppedCount) : waiting;
    waiting = '';
    droppedCount = 0;
    isWriting = true;
    output.write(batch, () => {
      isWriting = false;
      writeSoon();
    });
  }

  output.on('error', () => {}); // the reader is gone
  return {
    write,
    end: () =>
      new Promise((resolve) => {
        onIdle = resolve;
        setTimeout(resolve, LAST_LINES_MS);
        writeSoon();
      }),
  };
}

/**
 * @returns The reason of an error in words, without a stack. For a system error, the reason is its
 *   description, such as `permission denied`.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { errno } = error as NodeJS.ErrnoException;
  return typeof errno === 'number' ? getSystemErrorMessage(errno) : error.message;
}

/** Describes an error and its causes, for the log only: the text may be internal. */
export function describeError(error: unknown, causesMax = CAUSES_MAX): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const text = error.stack ?? error.message;
  return error.cause === undefined || causesMax === 0
    ? text
    : `${text}\nCaused by: ${describeError(error.cause, causesMax - 1)}`;
}

/** The most causes that are described, because causes may form a cycle. */
const CAUSES_MAX = 5;
