import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, type Log } from '../../src/telemetry/log.ts';
import { each } from '../support/each.ts';

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
  const fields = { status: 200, isFirst: true, route: '/', user_id: undefined };
  assert.equal(write('json', 'request', fields),
    `{"time":"${NOW}","level":"info","message":"request","status":200,"isFirst":true,"route":"/"}\n`);
});

each('At the level {0}, the lines of {1} are written', [
  ['debug', ALL], ['info', ['info', 'warn', 'error']], ['warn', ['warn', 'error']], ['error', ['error']],
], ([levelMin, expected]) => {
  const levels: string[] = [];
  const log = createLog(levelMin, (line) => levels.push(JSON.parse(line).level), () => 0, 'json');
  ALL.forEach((level) => log(level, 'message'));
  assert.deepEqual(levels, expected);
});

each('A text with {0} is logged as one line without control characters', HOSTILE, ([, text]) => {
  const line = write('json', 'request', { text });
  assert.match(line, ONE_LINE);
  assert.equal(line.isWellFormed(), true);
  assert.equal(JSON.parse(line).text, text);
});

each('In a pretty line, a value with {0} is quoted, and a message stays in its line', HOSTILE, ([, text]) => {
  const line = write('pretty', 'listening', { text, status: 200 });
  const [, quoted = ''] = /^\S+ INFO  listening text=("(?:[^"\\]|\\.)*") status=200\n$/.exec(line) ?? [];
  assert.equal(JSON.parse(quoted), text);
  const fields = { method: text, status: 200, address: text };
  for (const written of [line, write('pretty', 'request', fields), write('pretty', text, fields)]) {
    assert.match(written, ONE_LINE);
  }
});

test('Messages and field names are escaped like values', () => {
  assert.match(write('json', 'a\n\x9b', { 'b\n\x9b': 1 }), ONE_LINE);
});

each('A pretty line for "{0}" with {1} is "{2}" after the time of day', [
  ['listening', { url: 'http://127.0.0.1:8080', user_id: undefined, node: '26.10.0' },
    'INFO  listening url=http://127.0.0.1:8080 node=26.10.0'],
  ['request', { request_id: 'x', bytes: 7, status: 400 }, '- - 400'],
  ['request', { method: 'GET', route: '/a', status: 200, duration_ms: 3.4, user_id: 7, address: '::1' },
    'GET /a 200 3 ms user=7 address=::1'],
], ([message, fields, expected]) => {
  assert.equal(write('pretty', message, fields), `${timeOfDay} ${expected}\n`);
});

function write(format: 'json' | 'pretty', message: string, fields: Parameters<Log>[2]): string {
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(line), () => Date.parse(NOW), format);
  log('info', message, fields);
  return lines.join('');
}
