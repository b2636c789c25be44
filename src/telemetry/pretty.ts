/**
 * Formats log lines for people at a terminal. A request is `12:00:07 GET /api/v1/users 200 3 ms user=1`,
 * any other line `12:00:07 LEVEL message name=value …`. A value with spaces, quotes or
 * control characters is quoted and escaped as in JSON, so no value can forge another field or line.
 */
import { escapeUnsafe, type LogFields, type LogFormat } from './log.ts';

const WORD = /^[\w.:/{}@+-]+$/;

const DIM = 2;
const RED = 31;
/** The colour of each level, as SGR parameters (ECMA-48 §8.3.117). */
const LEVEL_COLOURS = { debug: DIM, info: 32, warn: 33, error: RED } as const;

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
    const { user_id: user, address } = more;
    const outcome = Number(status) >= 500 ? paint(RED, String(status)) : String(status);
    const time = ms === undefined ? [] : [`${Math.round(Number(ms))} ms`];
    return [toText(method), toText(route), outcome, ...time, ...formatFields({ user, address })];
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
