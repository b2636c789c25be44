import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPrettyLine } from '../../src/telemetry/pretty.ts';

const entry = { time: '2026-01-01T12:00:07.000Z', level: 'info', message: 'listening' } as const;
const timeOfDay = new Date(entry.time).toTimeString().slice(0, 8);

test('A line has the time of day, the level, the message and the named fields', () => {
  const line = toPrettyLine({ ...entry, url: 'http://127.0.0.1:8080', user_id: undefined, node: '26.10.0' });
  assert.equal(line, `${timeOfDay} INFO  listening url=http://127.0.0.1:8080 node=26.10.0`);
});

test('A request line is short: method, route, status, duration, user and address', () => {
  const unread = { ...entry, message: 'request', request_id: 'x', bytes: 7, status: 400 };
  assert.equal(toPrettyLine(unread), `${timeOfDay} - - 400`);
  const answered = { method: 'GET', route: '/api/v1/users', duration_ms: 3.4, address: '::1', user_id: 7 };
  const line = toPrettyLine({ ...unread, ...answered });
  assert.equal(line, `${timeOfDay} GET /api/v1/users 400 3 ms user=7 address=::1`);
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
    const line = toPrettyLine({ ...entry, address: text, status: 200 });
    const [, quoted = ''] = /^\S+ INFO  listening address=("(?:[^"\\]|\\.)*") status=200$/.exec(line) ?? [];
    assert.equal(JSON.parse(quoted), text);
    const request = toPrettyLine({ ...entry, message: 'request', method: text, status: 200, address: text });
    for (const written of [line, request, toPrettyLine({ ...entry, message: text })]) {
      assert.match(written, /^[^\x00-\x1f\x7f-\x9f\u2028-\u202e]*$/);
    }
  });
}
