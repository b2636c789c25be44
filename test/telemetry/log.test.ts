import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, type Log } from '../../src/telemetry/log.ts';
import { each } from '../support/each.ts';
import { HOSTILE_TEXTS, ONE_LINE } from '../support/hostile-log.ts';

const NOW = '2026-01-01T12:00:07.000Z';
const ALL = ['debug', 'info', 'warn', 'error'] as const;

test('A line is a JSON object that begins with time, level and message, and ends with a line feed', () => {
  const fields = { status: 200, isFirst: true, route: '/', user_id: undefined };
  assert.equal(write('request', fields),
    `{"time":"${NOW}","level":"info","message":"request","status":200,"isFirst":true,"route":"/"}\n`);
});

each('At the level {0}, the lines of {1} are written', [
  ['debug', ALL], ['info', ['info', 'warn', 'error']], ['warn', ['warn', 'error']], ['error', ['error']],
], ([levelMin, expected]) => {
  const levels: string[] = [];
  const log = createLog(levelMin, (line) => levels.push(JSON.parse(line).level), () => 0);
  ALL.forEach((level) => log(level, 'message'));
  assert.deepEqual(levels, expected);
});

each('A text with {0} is logged as one line without control characters', HOSTILE_TEXTS, ([, text]) => {
  const line = write('request', { text });
  assert.match(line, ONE_LINE);
  assert.equal(line.isWellFormed(), true);
  assert.equal(JSON.parse(line).text, text);
});

test('Messages and field names are escaped like values', () => {
  assert.match(write('a\n\x9b', { 'b\n\x9b': 1 }), ONE_LINE);
});

function write(message: string, fields: Parameters<Log>[2]): string {
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(line), () => Date.parse(NOW));
  log('info', message, fields);
  return lines.join('');
}
