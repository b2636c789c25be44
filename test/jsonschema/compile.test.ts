/**
 * What holds for all keywords: every complaint is made, at its own pointer, without quoting the
 * value; and neither a value nor a schema can make the validator overflow, hang or guess.
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
  additionalProperties: false,
};

test('a value gets all its complaints at once, each at the pointer of its part', () => {
  const body = { username: 'A b', password: '', 'is/admin': true };
  assert.deepEqual(compileSchema(registration)(body), [
    { pointer: '/username', keyword: 'pattern', message: 'must be small letters' },
    { pointer: '/password', keyword: 'minLength', message: 'must be at least 1 character long' },
    { pointer: '/email', keyword: 'required', message: 'is required' },
    { pointer: '/is~1admin', keyword: 'additionalProperties', message: 'is not allowed' },
  ]);
});

for (const [length, keyword] of [
  [8, 'pattern'],
  [9, 'maxLength'],
] as const) {
  test(`of ${length} wrong characters, 8 being allowed, only ${keyword} complains`, () => {
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

test('messages quote the schema to 200 characters and the value not at all', () => {
  const secret = 'secret'.repeat(100);
  const validate = compileSchema({
    enum: ['e'.repeat(1000)],
    pattern: 'p'.repeat(1000),
    format: 'uri',
    not: { type: 'string' },
    minLength: 1000,
    anyOf: [{ type: 'null' }],
  });
  const messages = validate(secret).map(({ message }) => message);
  assert.equal(messages.length, 6);
  assert.ok(messages.every((message) => message.length < 250 && !message.includes('secret')));
});

test('the complaints end after the hundredth', () => {
  const validate = compileSchema({ items: { type: 'null' } });
  assert.equal(validate(Array(100).fill(1)).length, 100);
  assert.equal(validate(Array(101).fill(1)).length, 100);
  const names = Array.from({ length: 101 }, (_, index) => `member ${index}`);
  assert.equal(compileSchema({ required: names })({}).length, 100);
});

test('annotations demand nothing', () => {
  const validate = compileSchema({
    $schema: 'http://json-schema.org/draft-04/schema#',
    id: 'https://example.com/',
    title: 'anything',
    description: 'anything',
    $comment: 'anything',
    default: 7,
    definitions: { a: { not: {} } },
  });
  assert.deepEqual(validate(undefined), []);
});

const hostileNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length'];

for (const name of hostileNames) {
  test(`a member called ${name} counts when it is there, and only then`, () => {
    const present: unknown = JSON.parse(`{"${name}": 1}`);
    const schema: unknown = JSON.parse(`{
      "properties": { "${name}": { "type": "string" } },
      "required": ["${name}"],
      "dependencies": { "${name}": ["other"] },
      "additionalProperties": false
    }`);
    const keywordsOf = (value: unknown): readonly string[] =>
      compileSchema(schema as Schema)(value).map(({ pointer, keyword }) => `${pointer} ${keyword}`);
    assert.deepEqual(keywordsOf({}), [`/${name} required`]);
    assert.deepEqual(keywordsOf(present), [`/${name} type`, '/other dependencies']);
    assert.equal(compileSchema({ additionalProperties: false })(present).length, 1);
    assert.equal(compileSchema({ enum: [{}] })(present).length, 1);
  });
}

test('members that a value inherits do not exist', () => {
  const value: unknown = Object.create({ a: 1 });
  assert.equal(compileSchema({ required: ['a'] })(value).length, 1);
  assert.deepEqual(compileSchema({ properties: { a: { type: 'null' } } })(value), []);
});

test('keywords that a schema inherits do not exist', () => {
  const schema: Schema = Object.assign(
    Object.create({ type: 'null', title: 'a', maxLength: 0, exclusiveMinimum: true }),
    { pattern: '^a$', minimum: 5 },
  );
  assert.deepEqual(compileSchema(schema)(5), []);
  assert.equal(compileSchema(schema)('b')[0]?.message, 'must be text that matches ^a$');
});

function nest(levels: number, innermost: unknown = 1): unknown {
  return levels === 0 ? innermost : [nest(levels - 1, innermost)];
}

test('a value may have 64 levels', () => {
  for (const schema of [{ items: { $ref: '#' } }, { enum: [nest(62)] }, { uniqueItems: true }]) {
    const keywords = compileSchema(schema)(nest(64)).map(({ keyword }) => keyword);
    assert.ok(!keywords.includes('limit'));
  }
});

for (const levels of [65, 5_000]) {
  test(`a value with ${levels} levels gets one complaint, whatever the schema`, () => {
    const schemas: readonly Schema[] = [{}, { items: { $ref: '#' } }, { not: { enum: [0] } }];
    for (const schema of schemas) {
      assert.deepEqual(compileSchema(schema)(nest(levels)), [
        { pointer: '', keyword: 'limit', message: 'must not be nested in more than 64 levels' },
      ]);
    }
  });
}

test('a value from JSON with 100 000 levels gets a complaint', () => {
  const value: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  assert.equal(compileSchema({ uniqueItems: true })(value)[0]?.keyword, 'limit');
});

test('the deepest value does not overflow with the longest chain of schemas at every level', () => {
  // Each of seven definitions applies the next by oneOf, so 16 schemas judge each of 64 levels.
  const definitions: Record<string, Schema> = { 0: { items: { $ref: '#/definitions/7' } } };
  for (let index = 1; index <= 7; index += 1) {
    definitions[index] = { oneOf: [{ $ref: `#/definitions/${index - 1}` }] };
  }
  const validate = compileSchema({ definitions, $ref: '#/definitions/7' });
  assert.deepEqual(validate(nest(64, 'a')), []);
});

test('a schema with 65 levels, or one that contains itself, is refused', () => {
  assert.throws(() => compileSchema({ default: nest(64) }), /at most 64 levels/);
  const endless: { not?: Schema } = {};
  endless.not = endless;
  assert.throws(() => compileSchema(endless), /at most 64 levels/);
});

test('a value that would take 2^60 steps is given up, and not accepted by not', () => {
  const doubling: Schema = {
    anyOf: [
      { properties: { next: { $ref: '#' } }, required: ['a'] },
      { properties: { next: { $ref: '#' } }, required: ['b'] },
    ],
  };
  let value: unknown = {};
  for (let level = 0; level < 60; level += 1) {
    value = { next: value };
  }
  for (const schema of [doubling, { not: {}, ...doubling }]) {
    assert.deepEqual(compileSchema(schema)(value), [
      { pointer: '', keyword: 'limit', message: 'is too complex to be checked' },
    ]);
  }
});

test('a long list is compared in a fraction of the time that pairs would take', () => {
  const items = Array.from({ length: 50_000 }, (_, index) => ({ index, text: 'x'.repeat(20) }));
  const start = performance.now();
  assert.deepEqual(compileSchema({ uniqueItems: true })(items), []);
  assert.ok(performance.now() - start < 2_000);
});
