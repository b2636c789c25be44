import assert from 'node:assert/strict';
import { toPrettyLine } from '../../../src/extras/pretty-log/pretty-log.ts';
import type { LogFields } from '../../../src/telemetry/log.ts';
import { each } from '../../support/each.ts';
import { HOSTILE_TEXTS, ONE_LINE } from '../../support/hostile-log.ts';

const time = '2026-01-01T12:00:07.000Z';
const timeOfDay = new Date(time).toTimeString().slice(0, 8);

const write = (message: string, fields: LogFields) =>
  `${toPrettyLine({ time, level: 'info', message, ...fields })}\n`;

each('In a pretty line, a value with {0} is quoted, and a message stays in its line', [
  ...HOSTILE_TEXTS,
], ([, text]) => {
  const line = write('listening', { text, status: 200 });
  const [, quoted = ''] = /^\S+ INFO  listening text=("(?:[^"\\]|\\.)*") status=200\n$/.exec(line) ?? [];
  assert.equal(JSON.parse(quoted), text);
  const fields = { method: text, status: 200, address: text };
  for (const written of [line, write('request', fields), write(text, fields)]) {
    assert.match(written, ONE_LINE);
  }
});

each('A pretty line for "{0}" with {1} is "{2}" after the time of day', [
  ['listening', { url: 'http://127.0.0.1:8080', user_id: undefined, node: '26.10.0' },
    'INFO  listening url=http://127.0.0.1:8080 node=26.10.0'],
  ['request', { request_id: 'x', bytes: 7, status: 400 }, '- - 400'],
  ['request', { method: 'GET', route: '/a', status: 200, duration_ms: 3.4, user_id: 7, address: '::1' },
    'GET /a 200 3 ms user=7 address=::1'],
], ([message, fields, expected]) => {
  assert.equal(write(message, fields), `${timeOfDay} ${expected}\n`);
});
