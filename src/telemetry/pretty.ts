/**
 * Log lines for people. A request is `12:00:07 GET /api/v1/users 200 3 ms user=1`, any other line
 * `12:00:07 LEVEL message name=value …`. A value that is not a plain word is quoted and escaped as in JSON,
 * so no value can forge another field.
 */
import { toSafeJson, type LogEntry, type LogFields } from './log.ts';

const PLAIN_WORD = /^[\w.:/{}@+-]+$/;

export function toPrettyLine({ time, level, message, ...fields }: LogEntry): string {
  const words = message === 'request'
    ? describeRequest(fields)
    : [level.toUpperCase().padEnd(5), toSafeJson(message).slice(1, -1), ...toPairs(fields)];
  return [toTimeOfDay(time), ...words].join(' ');
}

/** The time of day in the time zone of the process. */
function toTimeOfDay(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}

/** Shows the request, its outcome and its user. Only programs need the other fields, and they read JSON. */
function describeRequest({ method = '-', route = '-', status = '-', ...more }: LogFields): string[] {
  const { duration_ms: ms, user_id: user, address } = more;
  const duration = ms === undefined ? [] : [`${Math.round(Number(ms))} ms`];
  return [...[method, route, status].map(toWord), ...duration, ...toPairs({ user, address })];
}

function toPairs(fields: LogFields): string[] {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${toWord(value)}`]));
}

function toWord(value: string | number | boolean): string {
  const text = String(value);
  return PLAIN_WORD.test(text) ? text : toSafeJson(text);
}
