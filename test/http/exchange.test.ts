import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTraceId, toRequestId } from '../../src/http/exchange.ts';

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

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

for (const [title, field, expected] of [
  ['of version 00', `00-${TRACE}-${PARENT}-01`, TRACE],
  ['with other flags', `00-${TRACE}-${PARENT}-ff`, TRACE],
  ['of a later version', `cc-${TRACE}-${PARENT}-01`, TRACE],
  ['of a later version with a continuation', `cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, TRACE],
  ['of a later version with a continuation but no dash', `cc-${TRACE}-${PARENT}-01.what`, undefined],
  ['of version 00 with a continuation', `00-${TRACE}-${PARENT}-01-what`, undefined],
  ['of version 00 that ends in a dash', `00-${TRACE}-${PARENT}-01-`, undefined],
  ['of the version ff, which is forbidden', `ff-${TRACE}-${PARENT}-01`, undefined],
  ['with a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, undefined],
  ['with a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  ['in upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`, undefined],
  ['with letters beyond f', `00-${'g'.repeat(32)}-${PARENT}-01`, undefined],
  ['with a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`, undefined],
  ['with a long trace id', `00-${TRACE}0-${PARENT}-01`, undefined],
  ['with a short parent id', `00-${TRACE}-${PARENT.slice(1)}-01`, undefined],
  ['with one digit of flags', `00-${TRACE}-${PARENT}-1`, undefined],
  ['with one digit of a version', `0-${TRACE}-${PARENT}-01`, undefined],
  ['without flags', `00-${TRACE}-${PARENT}`, undefined],
  ['with a space in front', ` 00-${TRACE}-${PARENT}-01`, undefined],
  ['that was sent twice', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`, undefined],
  ['that is empty', '', undefined],
  ['that is absent', undefined, undefined],
] as const) {
  test(`A traceparent ${title} has ${expected === undefined ? 'no' : 'a'} trace id`, () => {
    assert.equal(parseTraceId(field), expected);
  });
}
