/** For each keyword: valid and invalid values, and its message. Other keywords are refused. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compileSchema } from '../../src/jsonschema/compile.ts';
import type { Schema } from '../../src/jsonschema/schema.ts';

/** JSON.parse returns Infinity, which is a number, but not an integer. */
const infinite: unknown = JSON.parse('1e999');

/** Schema, valid values, invalid values, and the message for each invalid value. */
const rows: readonly (readonly [Schema, readonly unknown[], readonly unknown[], string])[] = [
  [{ type: 'null' }, [null], [0, '', false, {}], 'must be null'],
  [{ type: 'boolean' }, [false], [0, null], 'must be a boolean'],
  [{ type: 'integer' }, [0, -7, 1.0, 1e308], [1.5, '1', infinite], 'must be an integer'],
  [{ type: 'string' }, [''], [1, null, []], 'must be a string'],
  [{ type: 'array' }, [[]], [{}, null], 'must be an array'],
  [{ type: 'object' }, [{}], [[], null], 'must be an object'],
  [{ type: ['integer', 'null'] }, [1, null], [1.5, 'null'], 'must be an integer or null'],
  [{ enum: [1, 'a', true] }, [1.0, 'a', true], [false, '1', 'A', [1], {}], 'must be one of 1, "a", true'],
  [{ enum: [null] }, [null], [0, 'null', infinite], 'must be null'],
  [{ enum: [0] }, [0, -0], [false, '', [0]], 'must be 0'],
  [{ not: { type: 'string' } }, [1], ['a'], 'must not be what the schema forbids'],
  [{ not: { title: 'reserved', enum: ['admin'] } }, ['anna'], ['admin'], 'must not be reserved'],

  [{ minimum: 5 }, [5, '4'], [4.99], 'must be at least 5'],
  [{ maximum: -5 }, [-5, '0'], [-4.99], 'must be at most -5'],

  [{ minLength: 2 }, ['ab', '🐲🐲', 1, ['a']], ['a', '🐲', ''], 'must be at least 2 characters long'],
  [{ maxLength: 1 }, ['a', '🐲', '', 12, [1, 2]], ['ab', '🐲🐲', 'e\u0301'], 'must be at most 1 character long'],
  [{ pattern: 'a+' }, ['xay', 1], ['', 'A'], 'must be text that matches a+'],
  [{ title: 'one character', pattern: '^.$' }, ['a', '🐲'], ['', 'ab'], 'must be one character'],
  [{ format: 'email' }, ['a@example.com', 1], ['a'], 'must be an email address'],

  [{ minItems: 1 }, [[0], 0], [[]], 'must have at least 1 item'],
  [{ maxItems: 2 }, [[1, 2], 'abc', { a: 1, b: 2, c: 3 }], [[1, 2, 3]], 'must have at most 2 items'],
];

for (const [schema, valid, invalid, message] of rows) {
  const validate = compileSchema(schema);
  const keyword = Object.keys(schema).find((name) => name !== 'title');
  test(`${JSON.stringify(schema)} accepts ${valid.length} values`, () => {
    for (const value of valid) {
      assert.deepEqual(validate(value), [], JSON.stringify(value));
    }
  });
  test(`${JSON.stringify(schema)} says "${message}" of ${invalid.length} values`, () => {
    for (const value of invalid) {
      assert.deepEqual(validate(value), [{ pointer: '', keyword, message }], JSON.stringify(value));
    }
  });
}

/** Schema, value, and its complaints as pointer and keyword. */
const cases: readonly (readonly [Schema, unknown, readonly string[]])[] = [
  [{ items: { type: 'integer' } }, [], []],
  [{ items: { type: 'integer' } }, [1, 'a', 2, null], ['/1 type', '/3 type']],
  [{ items: { type: 'integer' } }, { 0: 'a' }, []],
  [{ properties: { a: { type: 'integer' } } }, { a: '', b: '' }, ['/a type']],
  [{ properties: { a: { type: 'integer' } } }, ['a'], []],
  [{ required: ['a', 'b/~'] }, { a: null, 'b/~': 0 }, []],
  [{ required: ['a', 'b/~'] }, {}, ['/a required', '/b~1~0 required']],
  [{ required: ['a'] }, ['a'], []],
  [{ items: { properties: { a: { not: { type: 'null' } } } } }, [{}, { a: null }], ['/1/a not']],
];

for (const [schema, value, expected] of cases) {
  const verdict = expected.length === 0 ? 'accepts' : `says "${expected.join(', ')}" of`;
  test(`${JSON.stringify(schema)} ${verdict} ${JSON.stringify(value)}`, () => {
    const complaints = compileSchema(schema)(value);
    assert.deepEqual(complaints.map(({ pointer, keyword }) => `${pointer} ${keyword}`), expected);
  });
}

for (const keyword of [
  '$schema', '$ref', 'id', 'definitions', 'dependencies', 'patternProperties', 'additionalItems',
  'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
  'uniqueItems', 'minProperties', 'default', 'const', 'nullable', 'examples', '$comment',
  'maxLenght', 'example', 'toString', '__proto__',
  // Keywords of draft 3.
  'extends', 'disallow', 'divisibleBy',
]) {
  // spec 9-3
  test(`a schema with the keyword ${keyword} is refused`, () => {
    const schema = JSON.parse(`{"properties": {"a": {"type": "string", "${keyword}": {}}}}`);
    assert.throws(() => compileSchema(schema), {
      message: `Cannot compile a schema: the keyword "${keyword}" is not supported`,
    });
  });
}

test('a list of schemas in "items", and a pattern that is invalid with the flag u, are refused', () => {
  assert.throws(() => compileSchema(JSON.parse('{"items": [{}]}')), /keyword "0" is not supported/);
  assert.throws(() => compileSchema({ pattern: '\\-' }), /Invalid regular expression/);
});
