/** Formats the log for people. A request becomes `12:00:07 GET /api/v1/users 200 3 ms user=1`. */
import { toSafeJson, type LogEntry, type LogFields } from '../../telemetry/log.ts';

export function toPrettyLine({ time, level, message, ...fields }: LogEntry): string {
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
