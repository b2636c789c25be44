import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createLog, createPrettyFormat, describeError, LOG_LEVELS, type Log,
} from '../../src/telemetry/log.ts';

const NOW = '2026-01-01T00:00:00.000Z';

test('A line is a JSON object that begins with time, level and message, and ends with a line feed', () => {
  assert.equal(write({ status: 200, isFirst: true, route: '/', user_id: undefined }),
    `{"time":"${NOW}","level":"info","message":"request","status":200,"isFirst":true,"route":"/"}\n`);
});

for (const [levelMin, expected] of [
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
] as const) {
  test(`At the level ${levelMin}, the lines of ${expected.join(', ')} are written`, () => {
    const lines: string[] = [];
    const log = createLog(levelMin, { write: (line) => lines.push(line), now: () => NOW });
    LOG_LEVELS.forEach((level) => log(level, 'message'));
    assert.deepEqual(lines.map((line) => JSON.parse(line).level), expected);
  });
}

for (const [title, text] of [
  ['line ends', 'a\r\n{"level":"error","message":"forged"}\n'],
  ['quotes and backslashes', 'a","level":"error\\"'],
  ['control characters', '\0\x07\b\t\v\f\x1b[2J\x1b]0;title\x07'],
  ['delete and the second set of control characters', '\x7f\x80\x85\x9b31m\x9f'],
  ['the line ends of Unicode', '\u2028\u2029'],
  ['half of a surrogate pair', '\ud800'],
  ['letters beyond ASCII', 'Zoë 日本 🗝'],
] as const) {
  test(`A text with ${title} is logged as one line without control characters`, () => {
    const line = write({ text });
    assert.match(line, /^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*\n$/);
    assert.equal(line.isWellFormed(), true);
    assert.equal(JSON.parse(line).text, text);
  });
}

test('Messages and field names are escaped like values', () => {
  const lines: string[] = [];
  createLog('info', { write: (line) => lines.push(line), now: () => NOW })(
    'info', 'a\n\x9b', { 'b\n\x9b': 1 },
  );
  assert.match(lines.join(''), /^[^\x00-\x1f\x7f-\x9f]*\n$/);
});

test('An error is described with its stack and all its causes', () => {
  const error = new Error('outer', { cause: new TypeError('middle', { cause: 'inner' }) });
  const text = describeError(error);
  assert.match(text, /^Error: outer\n +at [^]*\nCaused by: TypeError: middle\n +at [^]*\nCaused by: inner$/);
});

for (const [thrown, expected] of [
  ['text', 'text'], [undefined, 'undefined'], [null, 'null'], [42, '42'],
] as const) {
  test(`The thrown value ${thrown} is described as "${expected}"`, () => {
    assert.equal(describeError(thrown), expected);
  });
}

/** The line of a message with these fields. */
function write(fields: Parameters<Log>[2]): string {
  const lines: string[] = [];
  createLog('info', { write: (line) => lines.push(line), now: () => NOW })('info', 'request', fields);
  return lines.join('');
}

const entry = { time: '2026-01-01T12:00:07.000Z', level: 'info', message: 'listening' } as const;
const format = createPrettyFormat(false);
const timeOfDay = new Date(entry.time).toTimeString().slice(0, 8);

test('A line has the time, the level, the message and the named fields', () => {
  const line = format({ ...entry, url: 'http://127.0.0.1:8080', worker: undefined, node: '26.10.0' });
  assert.equal(line, `${timeOfDay} INFO  listening url=http://127.0.0.1:8080 node=26.10.0\n`);
});

test('A request line is short: method, route, status, duration, user, address and worker', () => {
  const what = { method: 'GET', route: '/api/v1/users', bytes: 7 };
  const request = { ...entry, message: 'request', request_id: 'x', ...what };
  const line = format({ ...request, status: 200, duration_ms: 3.4, address: '::1', user_id: 7, worker: 2 });
  assert.equal(line, `${timeOfDay} GET /api/v1/users 200 3 ms user=7 address=::1 worker=2\n`);
  assert.equal(format({ ...entry, message: 'request', status: 400 }), `${timeOfDay} - - 400\n`);
});

test('Each level has its colour, but only if colours are enabled', () => {
  const colourful = createPrettyFormat(true);
  assert.match(colourful({ ...entry, level: 'error' }), /\x1b\[31mERROR\x1b\[0m/);
  assert.match(colourful({ ...entry, level: 'warn' }), /\x1b\[33mWARN \x1b\[0m/);
  assert.match(colourful({ ...entry, message: 'request', status: 503 }), /\x1b\[31m503\x1b\[0m/);
  assert.equal(
    colourful({ ...entry, status: 200 }).replace(/\x1b\[\d+m/g, ''), format({ ...entry, status: 200 }),
  );
});

for (const [title, text] of [
  ['a line end', 'a\n2026-01-01T00:00:00.000Z ERROR forged'],
  ['a carriage return', 'a\rERROR'],
  ['escape sequences', '\x1b[2J\x1b]0;title\x07'],
  ['the second set of control characters', '\x9b31m\x85'],
  ['a right-to-left override', 'a\u202eb'],
  ['a space and another name', 'x status=500'],
  ['quotes', 'x" status=500 y="'],
  ['nothing', ''],
] as const) {
  test(`A value with ${title} stays within quotes, and a message within its line`, () => {
    const line = format({ ...entry, address: text, status: 200 });
    const [, quoted = ''] = /^\S+ INFO  listening address=("(?:[^"\\]|\\.)*") status=200\n$/.exec(line) ?? [];
    assert.equal(JSON.parse(quoted), text);
    const request = format({ ...entry, message: 'request', method: text, status: 200, address: text });
    for (const written of [line, request, format({ ...entry, message: text })]) {
      assert.match(written, /^[^\x00-\x1f\x7f-\x9f\u2028-\u202e]*\n$/);
    }
  });
}
