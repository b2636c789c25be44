/**
 * The validator as a whole: it returns all complaints at once, each with a pointer, without quoting the
 * value. No value makes it overflow, hang or guess.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compileSchema } from '../../src/jsonschema/compile.ts';
import type { Schema } from '../../src/jsonschema/schema.ts';

const registration: Schema = {
  type: 'object',
  properties: {
    username: { title: 'small letters', type: 'string', maxLength: 8, pattern: '^[a-z]+$' },
    password: { type: 'string', minLength: 1 },
    email: { type: 'string', format: 'email' },
  },
  required: ['username', 'email'],
};

test('a value gets all complaints at once, each with the pointer of its part', () => {
  const body = { username: 'A b', password: '', 'is/admin': true };
  assert.deepEqual(compileSchema(registration)(body), [
    { pointer: '/username', keyword: 'pattern', message: 'must be small letters' },
    { pointer: '/password', keyword: 'minLength', message: 'must be at least 1 character long' },
    { pointer: '/email', keyword: 'required', message: 'is required' },
  ]);
});

for (const [length, keyword] of [[8, 'pattern'], [9, 'maxLength']] as const) {
  test(`for ${length} wrong characters of at most 8, only ${keyword} complains`, () => {
    const complaints = compileSchema(registration)({ username: 'A'.repeat(length), email: 'a@b' });
    assert.deepEqual(complaints.map((complaint) => complaint.keyword), [keyword]);
  });
}

test('a compiled schema gives the same answer again', () => {
  const validate = compileSchema({ pattern: 'a', items: { enum: [1] } });
  const first = [validate('a'), validate('b'), validate([1]), validate([2])];
  assert.deepEqual(first.map(({ length }) => length), [0, 1, 0, 1]);
  assert.deepEqual([validate('a'), validate('b'), validate([1]), validate([2])], first);
});

test('messages quote at most 200 characters of the schema, and nothing of the value', () => {
  const validate = compileSchema({
    enum: ['e'.repeat(1000)],
    pattern: 'p'.repeat(1000),
    format: 'email',
    not: { type: 'string' },
    minLength: 1000,
  });
  const messages = validate('secret'.repeat(100)).map(({ message }) => message);
  assert.equal(messages.length, 5);
  assert.ok(messages.every((message) => message.length < 250 && !message.includes('secret')));
});

test('at most 100 complaints are returned', () => {
  const validate = compileSchema({ items: { type: 'null' } });
  assert.equal(validate(Array(100).fill(1)).length, 100);
  assert.equal(validate(Array(101).fill(1)).length, 100);
  const names = Array.from({ length: 101 }, (_, index) => `member ${index}`);
  assert.equal(compileSchema({ required: names })({}).length, 100);
});

for (const [text, expected] of [['aba', []], ['abb', ['check']], ['xyz', ['pattern']]] as const) {
  test(`a check judges only strings that obey all keywords: "${text}" violates "${expected}"`, () => {
    const schema: Schema = {
      pattern: '^[ab]*$',
      check: (text) => text === 'aba' ? undefined : { keyword: 'check', message: 'must be a palindrome' },
    };
    assert.deepEqual(compileSchema(schema)(text).map(({ keyword }) => keyword), expected);
    assert.deepEqual(compileSchema(schema)(7), []);
  });
}

test('annotations never cause a complaint', () => {
  const validate = compileSchema({
    title: 'anything',
    description: 'anything',
  });
  assert.deepEqual(validate(undefined), []);
});

for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length']) {
  test(`a member called ${name} counts only if it is present`, () => {
    const present: unknown = JSON.parse(`{"${name}": 1}`);
    const schema = JSON.parse(`{
      "properties": { "${name}": { "type": "string" } },
      "required": ["${name}"]
    }`);
    const findFaults = (value: unknown): readonly string[] =>
      compileSchema(schema)(value).map(({ pointer, keyword }) => `${pointer} ${keyword}`);
    assert.deepEqual(findFaults({}), [`/${name} required`]);
    assert.deepEqual(findFaults(present), [`/${name} type`]);
  });
}

test('inherited members of a value are ignored', () => {
  const value: unknown = Object.create({ a: 1 });
  assert.equal(compileSchema({ required: ['a'] })(value).length, 1);
  assert.deepEqual(compileSchema({ properties: { a: { type: 'null' } } })(value), []);
});

for (const schema of [
  { enum: [0] }, { not: { enum: [0] } }, { items: { items: {} } }, { type: 'array' },
] as const) {
  test(`${JSON.stringify(schema)} judges a value nested 100 000 levels deep`, () => {
    const value: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    assert.equal(compileSchema(schema)(value).length, 'enum' in schema ? 1 : 0);
  });
}

test('a million items are judged, also inside "not"', () => {
  const items: readonly unknown[] = Array(1_000).fill(Array(1_000).fill(1));
  const schema: Schema = { items: { items: { type: 'integer' } } };
  assert.deepEqual(compileSchema(schema)(items), []);
  assert.deepEqual(compileSchema({ not: { not: schema } })(items), []);
  assert.equal(compileSchema({ not: schema })(items).length, 1);
});
