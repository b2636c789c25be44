import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPrettyFormat } from '../../src/telemetry/pretty-line.ts';

const entry = { time: '2026-01-01T00:00:00.000Z', level: 'info', message: 'request' } as const;
const format = createPrettyFormat(false);

test('A line is time, level, message and what is known, by name', () => {
  const line = format({ ...entry, method: 'GET', route: '/api/v1/users/{username_or_id}', status: 200, user_id: undefined, address: '::1' });
  assert.equal(line, '2026-01-01T00:00:00.000Z INFO  request method=GET route=/api/v1/users/{username_or_id} status=200 address=::1\n');
});

test('Colours are those of the level, and only where there are to be any', () => {
  const colourful = createPrettyFormat(true);
  assert.match(colourful({ ...entry, level: 'error' }), /\x1b\[31mERROR\x1b\[0m/);
  assert.match(colourful({ ...entry, level: 'warn' }), /\x1b\[33mWARN \x1b\[0m/);
  assert.equal(colourful({ ...entry, status: 200 }).replace(/\x1b\[\d+m/g, ''), format({ ...entry, status: 200 }));
});

for (const [title, text] of [
  ['a line end', 'a\n2026-01-01T00:00:00.000Z ERROR forged'],
  ['a carriage return', 'a\rERROR'],
  ['escape sequences', '\x1b[2J\x1b]0;title\x07'],
  ['the second set of control characters', '\x9b31m\x85'],
  ['marks of direction', 'a\u202eb'],
  ['a space and another name', 'x status=500'],
  ['quotes', 'x" status=500 y="'],
  ['nothing', ''],
] as const) {
  test(`A value with ${title} stays within its quotes, and a message within its line`, () => {
    const line = format({ ...entry, address: text, status: 200 });
    const [, quoted = ''] = /^\S+ INFO  request address=("(?:[^"\\]|\\.)*") status=200\n$/.exec(line) ?? [];
    assert.equal(JSON.parse(quoted), text);
    for (const written of [line, format({ ...entry, message: text })]) {
      assert.match(written, /^[^\x00-\x1f\x7f-\x9f\u2028-\u202e]*\n$/);
    }
  });
}
