/**
 * Every keyword of draft 4 that demands something: what satisfies it, what does not, in which
 * words, and which operands it does not take.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compileSchema } from '../../src/jsonschema/compile.ts';
import type { Schema } from '../../src/jsonschema/schema.ts';

interface Row {
  readonly schema: Schema;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
  readonly message: string;
}

/** JSON.parse makes Infinity of it, which is a number but no integer and not null. */
const infinite: readonly unknown[] = JSON.parse('[1e999, null]');

const rows: readonly Row[] = [
  // Any value.
  { schema: { type: 'null' }, valid: [null], invalid: [0, '', false, {}], message: 'must be null' },
  { schema: { type: 'boolean' }, valid: [false], invalid: [0, null], message: 'must be a boolean' },
  {
    schema: { type: 'integer' },
    valid: [0, -7, 1.0, 1e308],
    invalid: [1.5, '1', infinite[0]],
    message: 'must be an integer',
  },
  { schema: { type: 'number' }, valid: [1.5], invalid: ['1', null], message: 'must be a number' },
  { schema: { type: 'string' }, valid: [''], invalid: [1, null, []], message: 'must be a string' },
  { schema: { type: 'array' }, valid: [[]], invalid: [{}, null], message: 'must be an array' },
  { schema: { type: 'object' }, valid: [{}], invalid: [[], null], message: 'must be an object' },
  {
    schema: { type: ['integer', 'null'] },
    valid: [1, null],
    invalid: [1.5, 'null'],
    message: 'must be an integer or null',
  },
  {
    schema: { enum: [1, 'a', { b: [true], c: null }] },
    valid: [1.0, 'a', { c: null, b: [true] }],
    invalid: [true, '1', 'A', { b: [1], c: null }, { b: [true] }, { b: [true], c: null, d: 0 }],
    message: 'must be one of 1, "a", {"b":[true],"c":null}',
  },
  { schema: { enum: [null] }, valid: [null], invalid: [0, 'null'], message: 'must be null' },
  {
    schema: { anyOf: [{ type: 'string' }, { minimum: 5 }] },
    valid: ['a', 5, null],
    invalid: [4],
    message: 'must match one of 2 alternatives',
  },
  {
    schema: { oneOf: [{ type: 'integer' }, { minimum: 5 }] },
    valid: [4, 5.5, 'a'],
    invalid: [5, 4.5],
    message: 'must match exactly one of 2 alternatives',
  },
  {
    schema: { not: { type: 'string' } },
    valid: [1],
    invalid: ['a'],
    message: 'must not be what the schema forbids',
  },
  {
    schema: { not: { title: 'a reserved name', enum: ['admin'] } },
    valid: ['anna'],
    invalid: ['admin'],
    message: 'must not be a reserved name',
  },

  // Numbers.
  {
    schema: { multipleOf: 0.0001 },
    valid: [0.0075, 0, -3, '0.00751'],
    invalid: [0.00751, infinite[0]],
    message: 'must be a multiple of 0.0001',
  },
  {
    schema: { multipleOf: 0.01 },
    valid: [19.99, 4.35, 1e22, 1e308],
    invalid: [19.999, 1e-7, 5e-324],
    message: 'must be a multiple of 0.01',
  },
  {
    schema: { multipleOf: 3 },
    valid: [9007199254740990, 3e300],
    invalid: [9007199254740991, 1e300],
    message: 'must be a multiple of 3',
  },
  { schema: { minimum: 5 }, valid: [5, '4'], invalid: [4.99], message: 'must be at least 5' },
  {
    schema: { minimum: 5, exclusiveMinimum: true },
    valid: [5.01],
    invalid: [5],
    message: 'must be greater than 5',
  },
  {
    schema: { minimum: 5, exclusiveMinimum: false },
    valid: [5],
    invalid: [4],
    message: 'must be at least 5',
  },
  { schema: { maximum: -5 }, valid: [-5, '0'], invalid: [-4.99], message: 'must be at most -5' },
  {
    schema: { maximum: 5, exclusiveMaximum: true },
    valid: [4.99],
    invalid: [5],
    message: 'must be less than 5',
  },

  // Strings.
  {
    schema: { minLength: 2 },
    valid: ['ab', '🐲🐲', 1, ['a']],
    invalid: ['a', '🐲', ''],
    message: 'must be at least 2 characters long',
  },
  {
    schema: { maxLength: 1 },
    valid: ['a', '🐲', '', 12, [1, 2]],
    invalid: ['ab', '🐲🐲', 'e\u0301'],
    message: 'must be at most 1 character long',
  },
  {
    schema: { pattern: 'a+' },
    valid: ['xay', 1],
    invalid: ['', 'A'],
    message: 'must be text that matches a+',
  },
  {
    schema: { title: 'one character', pattern: '^.$' },
    valid: ['a', '🐲'],
    invalid: ['', 'ab'],
    message: 'must be one character',
  },
  {
    schema: { format: 'email' },
    valid: ['a@example.com', 1],
    invalid: ['a'],
    message: 'must be an email address',
  },

  // Arrays.
  { schema: { minItems: 1 }, valid: [[0], 0], invalid: [[]], message: 'must have at least 1 item' },
  {
    schema: { maxItems: 2 },
    valid: [[1, 2], 'abc', { a: 1, b: 2, c: 3 }],
    invalid: [[1, 2, 3]],
    message: 'must have at most 2 items',
  },
  {
    schema: { uniqueItems: true },
    valid: [[], [1, true, '1', null, [1]], [{ a: 1 }, { a: 2 }], [['a,b'], ['a', 'b']], infinite],
    invalid: [[1, 2, 1], [{ a: 1, b: [0] }, { b: [-0], a: 1 }], [null, null]],
    message: 'must not have the same item twice',
  },

  // Objects.
  {
    schema: { minProperties: 1 },
    valid: [{ a: undefined }, []],
    invalid: [{}],
    message: 'must have at least 1 member',
  },
  {
    schema: { maxProperties: 2 },
    valid: [{ a: 1, b: 2 }, [1, 2, 3]],
    invalid: [{ a: 1, b: 2, c: 3 }],
    message: 'must have at most 2 members',
  },
];

for (const { schema, valid, invalid, message } of rows) {
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

/** A value, and its complaints as pointer and keyword. */
type Case = readonly [unknown, readonly string[]];

const tables: readonly (readonly [Schema, readonly Case[]])[] = [
  [
    { allOf: [{ minimum: 5 }, { multipleOf: 2 }] },
    [
      [6, []],
      [3, [' minimum', ' multipleOf']],
    ],
  ],
  [
    { items: { type: 'integer' } },
    [
      [[], []],
      [[1, 'a', 2, null], ['/1 type', '/3 type']],
      [{ 0: 'a' }, []],
    ],
  ],
  [
    { items: [{ type: 'integer' }, { type: 'string' }], additionalItems: { type: 'null' } },
    [
      [[1], []],
      [[1, 'a', null], []],
      [['a', 1, null, 0], ['/0 type', '/1 type', '/3 type']],
    ],
  ],
  [
    { items: [{}], additionalItems: false },
    [
      [[1], []],
      [[1, 2, 3], ['/1 additionalItems', '/2 additionalItems']],
    ],
  ],
  [{ items: {}, additionalItems: false }, [[[1, 2], []]]],
  [{ additionalItems: false }, [[[1, 2], []]]],
  [
    {
      properties: { a: { type: 'integer' } },
      patternProperties: { '^n_': { type: 'null' }, _x$: { enum: [null, 1] } },
      additionalProperties: { type: 'string' },
    },
    [
      [{ a: 1, n_: null, n_x: null, b: '', b_x: 1 }, []],
      [{ a: '', n_x: 1, b: 1, b_x: 2 }, ['/a type', '/n_x type', '/b_x enum', '/b type']],
      [[1], []],
    ],
  ],
  [
    { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: false },
    [
      [{ a: 1, x1: 2 }, []],
      [{ a: 1, b: 2, ax: 3 }, ['/b additionalProperties', '/ax additionalProperties']],
    ],
  ],
  [
    { required: ['a', 'b/~'] },
    [
      [{ a: null, 'b/~': 0 }, []],
      [{}, ['/a required', '/b~1~0 required']],
      [['a'], []],
    ],
  ],
  [
    { dependencies: { a: ['b', 'c'], d: { maxProperties: 1 } } },
    [
      [{ b: 1 }, []],
      [{ a: 1, b: 1, c: 1 }, []],
      [{ d: 1 }, []],
      [{ a: 1, d: 1 }, ['/b dependencies', '/c dependencies', ' maxProperties']],
      [['a'], []],
    ],
  ],
];

for (const [schema, cases] of tables) {
  for (const [value, expected] of cases) {
    const verdict = expected.length === 0 ? 'accepts' : `says "${expected.join(', ')}" of`;
    test(`${JSON.stringify(schema)} ${verdict} ${JSON.stringify(value)}`, () => {
      const complaints = compileSchema(schema)(value);
      assert.deepEqual(complaints.map(({ pointer, keyword }) => `${pointer} ${keyword}`), expected);
    });
  }
}

for (const [schema, location, reason] of [
  [{ type: 'text' }, '/type', 'one of the types array'],
  [{ type: [] }, '/type', 'at least one item'],
  [{ type: ['null', 'null'] }, '/type', 'none twice'],
  [{ enum: [] }, '/enum', 'at least one item'],
  [{ enum: [{ a: 1, b: 2 }, { b: 2, a: 1 }] }, '/enum', 'none twice'],
  [{ allOf: [] }, '/allOf', 'at least one item'],
  [{ anyOf: { type: 'null' } }, '/anyOf', 'a list'],
  [{ oneOf: [{}, true] }, '/oneOf/1', 'a schema'],
  [{ not: [] }, '/not', 'a schema'],
  [{ multipleOf: 0 }, '/multipleOf', 'greater than 0'],
  [{ multipleOf: Infinity }, '/multipleOf', 'greater than 0'],
  [{ minimum: '5' }, '/minimum', 'a number'],
  [{ exclusiveMinimum: 5 }, '/exclusiveMinimum', 'true or false'],
  [{ exclusiveMinimum: true }, '/exclusiveMinimum', '"minimum" beside it'],
  [{ exclusiveMaximum: true, minimum: 1 }, '/exclusiveMaximum', '"maximum" beside it'],
  [{ minLength: -1 }, '/minLength', 'an integer of at least 0'],
  [{ maxItems: 1.5 }, '/maxItems', 'an integer of at least 0'],
  [{ pattern: '(' }, '/pattern', '"(" is not an ECMAScript regular expression'],
  [{ pattern: '\\-' }, '/pattern', '"\\-" is not an ECMAScript regular expression'],
  [{ patternProperties: { '[': {} } }, '/patternProperties', '"[" is not'],
  [{ format: 'phone' }, '/format', 'one of the formats date-time'],
  [{ format: 'constructor' }, '/format', 'one of the formats date-time'],
  [{ items: true }, '/items', 'a schema'],
  [{ items: [{}, 1] }, '/items/1', 'a schema'],
  [{ additionalItems: null }, '/additionalItems', 'a schema'],
  [{ uniqueItems: 1 }, '/uniqueItems', 'true or false'],
  [{ required: [] }, '/required', 'at least one name'],
  [{ required: true }, '/required', 'a list'],
  [{ required: ['a', 1] }, '/required', 'a list with at least one name'],
  [{ properties: [] }, '/properties', 'an object'],
  [{ properties: { 'a/b': { items: 1 } } }, '/properties/a~1b/items', 'a schema'],
  [{ dependencies: { a: [] } }, '/dependencies/a', 'at least one name'],
  [{ dependencies: { a: 'b' } }, '/dependencies/a', 'a schema'],
  [{ definitions: { a: { type: 1 } } }, '/definitions/a/type', 'one of the types'],
  [{ title: 1 }, '/title', 'a string'],
  [{ $schema: 'http://json-schema.org/draft-03/schema#' }, '/$schema', 'draft-04'],
  [{ $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema', 'draft-04'],
  [{ const: 1 }, '/const', 'not implemented'],
  [{ properties: { a: { maxLenght: 1 } } }, '/properties/a/maxLenght', 'not implemented'],
  [JSON.parse('{"__proto__": {}}'), '/__proto__', 'not implemented'],
  [{ toString: 1 }, '/toString', 'not implemented'],
  [true, '', 'a schema'],
  [null, '', 'a schema'],
] as const) {
  test(`the schema ${JSON.stringify(schema)} is refused at "#${location}": ${reason}`, () => {
    assert.throws(
      () => compileSchema(schema as unknown as Schema),
      ({ message }: Error) =>
        message.startsWith(`Cannot compile the schema at "#${location}": `) &&
        message.includes(reason),
    );
  });
}
