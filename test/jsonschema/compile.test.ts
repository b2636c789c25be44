import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema } from '../../src/jsonschema/compile.ts';
import type { Schema } from '../../src/jsonschema/schema.ts';
import { each } from '../support/each.ts';

/** `JSON.parse` turns `1e999` into Infinity. Infinity is a number, but not an integer. */
const infinite: unknown = JSON.parse('1e999');

/** Each row has a schema, valid values, invalid values, and the message for the invalid values. */
each<readonly [Schema, readonly unknown[], readonly unknown[], string]>('{0} says "{3}" of {2}, not of {1}', [
  [{ type: 'boolean' }, [false], [0, null], 'must be a boolean'],
  [{ type: 'integer' }, [0, -7, 1.0, 1e308], [1.5, '1', infinite], 'must be an integer'],
  [{ type: 'string' }, [''], [1, null, []], 'must be a string'],
  [{ type: 'array' }, [[]], [{}, null], 'must be an array'],
  [{ type: 'object' }, [{}], [[], null], 'must be an object'],
  [{ enum: [1, 'a', true] }, [1.0, 'a', true], [false, '1', 'A', [1], {}], 'must be one of 1, "a", true'],
  [{ enum: [null] }, [null], [0, 'null', infinite], 'must be null'],
  [{ enum: [0] }, [0, -0], [false, '', [0]], 'must be 0'],

  [{ minimum: 5 }, [5, '4'], [4.99], 'must be at least 5'],
  [{ maximum: -5 }, [-5, '0'], [-4.99], 'must be at most -5'],

  [{ minLength: 2 }, ['ab', '🐲🐲', 1, ['a']], ['a', '🐲', ''], 'must be at least 2 characters long'],
  [{ maxLength: 1 }, ['a', '🐲', '', 12, [1, 2]], ['ab', '🐲🐲', 'e\u0301'], 'must be at most 1 character long'],
  [{ pattern: 'a+' }, ['xay', 1], ['', 'A'], 'must be text that matches a+'],
  [{ title: 'one character', pattern: '^.$' }, ['a', '🐲'], ['', 'ab'], 'must be one character'],
  [{ check: (text) => text === 'aba' ? undefined : { keyword: 'check', message: 'must be a palindrome' } },
    ['aba', 7], ['abb'], 'must be a palindrome'],

  [{ minItems: 1 }, [[0], 0], [[]], 'must have at least 1 item'],
  [{ maxItems: 2 }, [[1, 2], 'abc', { a: 1, b: 2, c: 3 }], [[1, 2, 3]], 'must have at most 2 items'],
], ([schema, valid, invalid, message]) => {
  const validate = compileSchema(schema);
  const keyword = Object.keys(schema).find((name) => name !== 'title');
  for (const [values, complaints] of [[valid, []], [invalid, [{ pointer: '', keyword, message }]]] as const) {
    for (const value of [...values, ...values]) {
      assert.deepEqual(validate(value), complaints, JSON.stringify(value));
    }
  }
});

each<readonly [Schema, unknown, readonly string[]]>('{0} says {2} of {1}', [
  [{ title: 'anything', description: 'anything', example: 'anything', format: 'email' }, 'a', []],
  [{ items: { type: 'integer' } }, [], []],
  [{ items: { type: 'integer' } }, [1, 'a', 2, null], ['/1 type', '/3 type']],
  [{ items: { type: 'integer' } }, { 0: 'a' }, []],
  [{ properties: { a: { type: 'integer' } } }, { a: '', b: '' }, ['/a type']],
  [{ properties: { a: { type: 'integer' } } }, ['a'], []],
  [{ properties: { a: { type: 'string' } } }, Object.create({ a: 1 }), []], // the member `a` is inherited
  [{ required: ['a'] }, Object.create({ a: 1 }), ['/a required']],
  [{ required: ['a', 'b/~'] }, { a: null, 'b/~': 0 }, []],
  [{ required: ['a', 'b/~'] }, {}, ['/a required', '/b~1~0 required']],
  [{ required: ['a'] }, ['a'], []],
  [
    { properties: { a: { pattern: 'x' }, b: { minLength: 1 } }, required: ['a', 'c'] },
    { a: 'A b', b: '', 'is/admin': true }, ['/a pattern', '/b minLength', '/c required'],
  ],
  [{ items: { properties: { a: { type: 'string' } } } }, [{}, { a: null }], ['/1/a type']],
  // Validation skips `pattern` if the text is too long, and skips `check` if another keyword finds a fault.
  [{ maxLength: 8, pattern: '^[a-z]+$' }, 'A'.repeat(8), [' pattern']],
  [{ maxLength: 8, pattern: '^[a-z]+$' }, 'A'.repeat(9), [' maxLength']],
  [{ pattern: '^[a-z]+$', check: () => ({ keyword: 'check', message: '' }) }, 'A', [' pattern']],
], ([schema, value, expected]) => {
  const complaints = compileSchema(schema)(value);
  assert.deepEqual(complaints.map(({ pointer, keyword }) => `${pointer} ${keyword}`), expected);
});

// spec 9-3
each('a schema with the keyword {0} is refused', [
  '$schema', '$ref', 'id', 'definitions', 'dependencies', 'patternProperties', 'additionalItems',
  'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
  'uniqueItems', 'minProperties', 'default', 'const', 'nullable', 'examples', '$comment',
  'maxLenght', 'toString', '__proto__',
  'extends', 'disallow', 'divisibleBy', // keywords of draft 3
], (keyword) => {
  const schema = JSON.parse(`{"properties": {"a": {"type": "string", "${keyword}": {}}}}`);
  assert.throws(() => compileSchema(schema), {
    message: `Cannot compile a schema: the keyword "${keyword}" is not supported`,
  });
});

test('a list of schemas in "items", and a pattern that is invalid with the flag u, are refused', () => {
  assert.throws(() => compileSchema(JSON.parse('{"items": [{}]}')), /keyword "0" is not supported/);
  assert.throws(() => compileSchema({ pattern: '\\-' }), /Invalid regular expression/);
});

test('messages quote nothing of the value', () => {
  const validate = compileSchema({ enum: ['e'], pattern: 'p', type: 'integer', minLength: 1000 });
  const messages = validate('secret'.repeat(100)).map(({ message }) => message);
  assert.equal(messages.length, 4);
  assert.ok(messages.every((message) => !message.includes('secret')));
});

each('a member called {0} counts only if it is present', [
  '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length',
], (name) => {
  const present: unknown = JSON.parse(`{"${name}": 1}`);
  const schema = JSON.parse(`{"properties": {"${name}": {"type": "string"}}, "required": ["${name}"]}`);
  for (const [value, expected] of [[{}, 'required'], [present, 'type']] as const) {
    const complaints = compileSchema(schema)(value);
    assert.deepEqual(complaints.map(({ pointer, keyword }) => [pointer, keyword]), [[`/${name}`, expected]]);
  }
});
