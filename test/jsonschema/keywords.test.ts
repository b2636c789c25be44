/** For each keyword: valid and invalid values, its message, and the operands that it refuses. */

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
  [{ type: 'number' }, [1.5, infinite], ['1', null], 'must be a number'],
  [{ type: 'string' }, [''], [1, null, []], 'must be a string'],
  [{ type: 'array' }, [[]], [{}, null], 'must be an array'],
  [{ type: 'object' }, [{}], [[], null], 'must be an object'],
  [{ type: ['integer', 'null'] }, [1, null], [1.5, 'null'], 'must be an integer or null'],
  [
    { enum: [1, 'a', { b: [true], c: null }] },
    [1.0, 'a', { c: null, b: [true] }],
    [true, '1', 'A', { b: [1], c: null }, { b: [true] }, { b: [true], c: null, d: 0 }],
    'must be one of 1, "a", {"b":[true],"c":null}',
  ],
  [{ enum: [null] }, [null], [0, 'null', infinite], 'must be null'],
  [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 5, null], [4], 'must match one of 2 alternatives'],
  [
    { oneOf: [{ type: 'integer' }, { minimum: 5 }] },
    [4, 5.5, 'a'],
    [5, 4.5],
    'must match exactly one of 2 alternatives',
  ],
  [{ not: { type: 'string' } }, [1], ['a'], 'must not be what the schema forbids'],
  [{ not: { title: 'reserved', enum: ['admin'] } }, ['anna'], ['admin'], 'must not be reserved'],

  [{ minimum: 5 }, [5, '4'], [4.99], 'must be at least 5'],
  [{ minimum: 5, exclusiveMinimum: true }, [5.01], [5], 'must be greater than 5'],
  [{ minimum: 5, exclusiveMinimum: false }, [5], [4], 'must be at least 5'],
  [{ maximum: -5 }, [-5, '0'], [-4.99], 'must be at most -5'],
  [{ maximum: 5, exclusiveMaximum: true }, [4.99], [5], 'must be less than 5'],

  [{ minLength: 2 }, ['ab', '🐲🐲', 1, ['a']], ['a', '🐲', ''], 'must be at least 2 characters long'],
  [{ maxLength: 1 }, ['a', '🐲', '', 12, [1, 2]], ['ab', '🐲🐲', 'e\u0301'], 'must be at most 1 character long'],
  [{ pattern: 'a+' }, ['xay', 1], ['', 'A'], 'must be text that matches a+'],
  [{ title: 'one character', pattern: '^.$' }, ['a', '🐲'], ['', 'ab'], 'must be one character'],
  [{ format: 'email' }, ['a@example.com', 1], ['a'], 'must be an email address'],

  [{ minItems: 1 }, [[0], 0], [[]], 'must have at least 1 item'],
  [{ maxItems: 2 }, [[1, 2], 'abc', { a: 1, b: 2, c: 3 }], [[1, 2, 3]], 'must have at most 2 items'],
  [
    { uniqueItems: true },
    [[], [1, true, '1', null, [1]], [{ a: 1 }, { a: 2 }], [['a,b'], ['a', 'b']], [infinite, null], 'aa'],
    [[1, 2, 1], [{ a: 1, b: [0] }, { b: [-0], a: 1 }], [null, null]],
    'must not have the same item twice',
  ],
  [{ minProperties: 1 }, [{ a: undefined }, []], [{}], 'must have at least 1 member'],
  [{ maxProperties: 2 }, [{ a: 1, b: 2 }, [1, 2, 3]], [{ a: 1, b: 2, c: 3 }], 'must have at most 2 members'],
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
  [{ allOf: [{ minimum: 5 }, { type: 'integer' }] }, 6, []],
  [{ allOf: [{ minimum: 5 }, { type: 'integer' }] }, 3.5, [' minimum', ' type']],
  [{ anyOf: [{ minimum: 5 }, { properties: { a: { type: 'null' } } }] }, { a: 1 }, []],
  [{ items: { type: 'integer' } }, [], []],
  [{ items: { type: 'integer' } }, [1, 'a', 2, null], ['/1 type', '/3 type']],
  [{ items: { type: 'integer' } }, { 0: 'a' }, []],
  [{ properties: { a: { type: 'integer' } } }, { a: '', b: '' }, ['/a type']],
  [{ properties: { a: { type: 'integer' } } }, ['a'], []],
  [{ properties: { a: {} }, additionalProperties: { type: 'string' } }, { a: 1, b: '', c: 2 }, ['/c type']],
  [{ properties: { a: {} }, additionalProperties: false }, { a: 1, b: 2 }, ['/b additionalProperties']],
  [{ properties: { a: {} }, additionalProperties: true }, { b: 2 }, []],
  [{ additionalProperties: false }, ['a'], []],
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

/** A schema as JSON, the place of the mistake, and a part of the message. */
for (const [schema, location, reason] of [
  // Operands that draft 4 does not allow.
  [{ type: 'text' }, '/type', 'some of the types array, boolean'],
  [{ type: [] }, '/type', 'some of the types'],
  [{ type: ['null', 'null'] }, '/type', 'some of the types'],
  [{ type: 'toString' }, '/type', 'some of the types'],
  [{ enum: [] }, '/enum', 'at least one item'],
  [{ enum: [{ a: 1, b: 2 }, { b: 2, a: 1 }] }, '/enum', 'no duplicates'],
  [{ allOf: [] }, '/allOf', 'at least one item'],
  [{ anyOf: { type: 'null' } }, '/anyOf', 'a list'],
  [{ oneOf: [{}, true] }, '/oneOf/1', 'a schema'],
  [{ not: [] }, '/not', 'a schema'],
  [{ minimum: '5' }, '/minimum', 'a finite number'],
  [{ maximum: infinite }, '/maximum', 'a finite number'],
  [{ exclusiveMinimum: 5 }, '/exclusiveMinimum', 'true or false'],
  [{ exclusiveMinimum: true }, '/exclusiveMinimum', '"minimum" in the same schema'],
  [{ exclusiveMaximum: true, minimum: 1 }, '/exclusiveMaximum', '"maximum" in the same schema'],
  [{ minLength: -1 }, '/minLength', 'an integer of at least 0'],
  [{ maxItems: 1.5 }, '/maxItems', 'an integer of at least 0'],
  [{ pattern: '(' }, '/pattern', 'an ECMAScript regular expression'],
  [{ pattern: '\\-' }, '/pattern', 'an ECMAScript regular expression'],
  [{ pattern: 1 }, '/pattern', 'an ECMAScript regular expression'],
  [{ format: 'uri' }, '/format', 'one of the formats date-time, email'],
  [{ format: 'constructor' }, '/format', 'one of the formats date-time, email'],
  [{ items: true }, '/items', 'a schema'],
  [{ items: [{}] }, '/items', 'a schema'],
  [{ uniqueItems: 1 }, '/uniqueItems', 'true or false'],
  [{ required: [] }, '/required', 'at least one name'],
  [{ required: true }, '/required', 'a list'],
  [{ required: ['a', 1] }, '/required', 'a list with at least one name'],
  [{ properties: [] }, '/properties', 'an object'],
  [{ properties: { 'a/b': { items: 1 } } }, '/properties/a~1b/items', 'a schema'],
  [{ additionalProperties: null }, '/additionalProperties', 'a schema'],
  [{ title: 1 }, '/title', 'a string'],
  [{ not: { description: [] } }, '/not/description', 'a string'],
  [{ $schema: 'http://json-schema.org/draft-03/schema#' }, '/$schema', 'draft-04'],
  [{ $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema', 'draft-04'],
  [true, '', 'a schema'],
  [null, '', 'a schema'],
  // Keywords outside the subset, in draft 4 or not.
  ...[
    '$ref', 'id', 'definitions', 'dependencies', 'patternProperties', 'additionalItems', 'multipleOf',
    'const', 'nullable', 'examples', '$comment', 'maxLenght', 'toString', '__proto__',
  ].map((keyword) => [
    JSON.parse(`{"properties": {"a": {"type": "string", "${keyword}": {}}}}`),
    `/properties/a/${keyword}`,
    `the keyword "${keyword}" is not supported`,
  ] as const),
] as const) {
  // spec 9-3
  test(`the schema ${JSON.stringify(schema)} is refused at "#${location}": ${reason}`, () => {
    assert.throws(
      () => compileSchema(schema),
      ({ message }: Error) =>
        message.startsWith(`Cannot compile the schema at "#${location}": `) && message.includes(reason),
    );
  });
}
