import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, type Log } from '../../src/telemetry/log.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const ALL = ['debug', 'info', 'warn', 'error'] as const;

test('A line is a JSON object that begins with time, level and message, and ends with a line feed', () => {
  assert.equal(write({ status: 200, isFirst: true, route: '/', user_id: undefined }),
    `{"time":"${NOW}","level":"info","message":"request","status":200,"isFirst":true,"route":"/"}\n`);
});

for (const [index, levelMin] of ALL.entries()) {
  test(`At the level ${levelMin}, the lines of ${ALL.slice(index).join(', ')} are written`, () => {
    const lines = linesOf((log) => ALL.forEach((level) => log(level, 'message')), levelMin);
    assert.deepEqual(lines.map((line) => JSON.parse(line).level), ALL.slice(index));
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
  const lines = linesOf((log) => log('info', 'a\n\x9b', { 'b\n\x9b': 1 }));
  assert.match(lines.join(''), /^[^\x00-\x1f\x7f-\x9f]*\n$/);
});

function write(fields: Parameters<Log>[2]): string {
  return linesOf((log) => log('info', 'request', fields)).join('');
}

function linesOf(act: (log: Log) => void, levelMin: (typeof ALL)[number] = 'info'): readonly string[] {
  const lines: string[] = [];
  act(createLog(levelMin, (line) => lines.push(line), () => Date.parse(NOW)));
  return lines;
}
