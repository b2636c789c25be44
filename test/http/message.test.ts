import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRequestId } from '../../src/http/message.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

for (const field of [
  'a', '0', 'Root=1-67891233-abcdef012345678912345678', 'b64+/==', 'a.b_c:d@e', 'x'.repeat(128),
]) {
  test(`The id "${field.slice(0, 45)}" of ${field.length} characters is accepted`, () => {
    assert.equal(toRequestId(field), field);
  });
}

for (const [title, field] of [
  ['no field', undefined],
  ['an empty field', ''],
  ['129 characters', 'x'.repeat(129)],
  ['a space', 'a b'],
  ['a line end', 'a\n'],
  ['a forged field', 'a\r\nSet-Cookie: b'],
  ['an escape sequence', '\x1b[2J'],
  ['a quote', 'a"b'],
  ['markup', '<b>'],
  ['a list', 'a, b'],
  ['a letter beyond ASCII', 'é'],
  ['several fields', ['a', 'b']],
] as const) {
  test(`${title} is replaced by a new random id`, () => {
    const [one, other] = [toRequestId(field as string | undefined), toRequestId(field as string | undefined)];
    assert.match(one, UUID);
    assert.notEqual(one, other);
  });
}
