import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, type Log } from '../../src/telemetry/log.ts';

const NOW = '2026-01-01T12:00:07.000Z';
const timeOfDay = new Date(NOW).toTimeString().slice(0, 8);
const ALL = ['debug', 'info', 'warn', 'error'] as const;

const HOSTILE = [
  ['line ends', 'a\r\n{"level":"error","message":"forged"}\n'],
  ['quotes and backslashes', 'a","level":"error\\"'],
  ['control characters', '\0\x07\b\t\v\f\x1b[2J\x1b]0;title\x07'],
  ['delete and the second set of control characters', '\x7f\x80\x85\x9b31m\x9f'],
  ['the line ends of Unicode', '\u2028\u2029'],
  ['a right-to-left override', 'a\u202eb'],
  ['half of a surrogate pair', '\ud800'],
  ['letters beyond ASCII', 'Zoë 日本 🗝'],
  ['a space and another field', 'x status=500'],
  ['nothing', ''],
] as const;

const ONE_LINE = /^[^\x00-\x1f\x7f-\x9f\u2028-\u202e]*\n$/;

test('A line is a JSON object that begins with time, level and message, and ends with a line feed', () => {
  assert.equal(write({ status: 200, isFirst: true, route: '/', user_id: undefined }),
    `{"time":"${NOW}","level":"info","message":"request","status":200,"isFirst":true,"route":"/"}\n`);
});

for (const [index, levelMin] of ALL.entries()) {
  test(`At the level ${levelMin}, the lines of ${ALL.slice(index).join(', ')} are written`, () => {
    const lines = linesOf((log) => ALL.forEach((level) => log(level, 'message')), 'json', levelMin);
    assert.deepEqual(lines.map((line) => JSON.parse(line).level), ALL.slice(index));
  });
}

for (const [title, text] of HOSTILE) {
  test(`A text with ${title} is logged as one line without control characters`, () => {
    const line = write({ text });
    assert.match(line, ONE_LINE);
    assert.equal(line.isWellFormed(), true);
    assert.equal(JSON.parse(line).text, text);
  });

  test(`In a pretty line, a value with ${title} is quoted, and a message stays in its line`, () => {
    const [line = ''] = linesOf((log) => log('info', 'listening', { text, status: 200 }), 'pretty');
    const [, quoted = ''] = /^\S+ INFO  listening text=("(?:[^"\\]|\\.)*") status=200\n$/.exec(line) ?? [];
    assert.equal(JSON.parse(quoted), text);
    const fields = { method: text, status: 200, address: text };
    const others = linesOf((log) => ['request', text].forEach((message) => log('info', message, fields)),
      'pretty');
    [line, ...others].forEach((written) => assert.match(written, ONE_LINE));
  });
}

test('Messages and field names are escaped like values', () => {
  assert.match(linesOf((log) => log('info', 'a\n\x9b', { 'b\n\x9b': 1 })).join(''), ONE_LINE);
});

for (const [message, fields, expected] of [
  ['listening', { url: 'http://127.0.0.1:8080', user_id: undefined, node: '26.10.0' },
    'INFO  listening url=http://127.0.0.1:8080 node=26.10.0'],
  ['request', { request_id: 'x', bytes: 7, status: 400 }, '- - 400'],
  ['request', { method: 'GET', route: '/a', status: 200, duration_ms: 3.4, user_id: 7, address: '::1' },
    'GET /a 200 3 ms user=7 address=::1'],
] as const) {
  test(`A pretty line is "${expected}" after the time of day`, () => {
    const lines = linesOf((log) => log('info', message, fields), 'pretty');
    assert.deepEqual(lines, [`${timeOfDay} ${expected}\n`]);
  });
}

function write(fields: Parameters<Log>[2]): string {
  return linesOf((log) => log('info', 'request', fields)).join('');
}

function linesOf(
  act: (log: Log) => void, format: 'json' | 'pretty' = 'json', levelMin: (typeof ALL)[number] = 'info',
): readonly string[] {
  const lines: string[] = [];
  act(createLog(levelMin, (line) => lines.push(line), () => Date.parse(NOW), format));
  return lines;
}
