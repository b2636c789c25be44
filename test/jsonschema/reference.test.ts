/** References: where they lead, which are refused, and that neither they nor `id` can be mistaken. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compileSchema } from '../../src/jsonschema/compile.ts';
import type { Schema } from '../../src/jsonschema/schema.ts';

function pointersOf(schema: Schema, value: unknown): readonly string[] {
  return compileSchema(schema)(value).map(({ pointer }) => pointer);
}

for (const [reference, definitions] of [
  ['#/definitions/a', { a: { type: 'integer' } }],
  ['#/definitions/a~1b', { 'a/b': { type: 'integer' } }],
  ['#/definitions/a~0b', { 'a~b': { type: 'integer' } }],
  ['#/definitions/~01', { '~1': { type: 'integer' } }],
  ['#/definitions/50%25', { '50%': { type: 'integer' } }],
  ['#/definitions/%C3%A9', { é: { type: 'integer' } }],
  ['#/definitions/', { '': { type: 'integer' } }],
  ['#/definitions/a/not/items/1', { a: { not: { items: [{}, { type: 'integer' }] } } }],
  ['#/definitions/b', { a: { type: 'integer' }, b: { $ref: '#/definitions/a' } }],
] as const) {
  test(`${reference} leads to the integer in ${JSON.stringify(definitions)}`, () => {
    const schema: Schema = { definitions, items: { $ref: reference } };
    assert.deepEqual(pointersOf(schema, [1, 'a']), ['/1']);
  });
}

test('a recursive schema judges every level of a value', () => {
  const tree: Schema = {
    properties: { name: { type: 'string' }, children: { items: { $ref: '#' } } },
    required: ['name'],
  };
  const value = { name: 'a', children: [{ name: 'b', children: [{ name: 1 }, {}] }] };
  assert.deepEqual(pointersOf(tree, value), [
    '/children/0/children/0/name',
    '/children/0/children/1/name',
  ]);
});

test('keywords beside $ref are ignored, but definitions there can be referred to', () => {
  const schema = {
    $ref: '#/definitions/a',
    type: 'string',
    maxItms: 1,
    definitions: { a: { type: 'integer' } },
  } as Schema;
  assert.deepEqual(pointersOf(schema, 1), []);
  assert.deepEqual(pointersOf(schema, 'a'), ['']);
});

test('members of the value and of enum may be called $ref and id', () => {
  const schema: Schema = {
    properties: { $ref: { type: 'string' }, id: { type: 'string' } },
    not: { enum: [{ $ref: '#/nowhere', id: 'x' }] },
  };
  assert.deepEqual(pointersOf(schema, { $ref: 1, id: 2 }), ['/$ref', '/id']);
  assert.deepEqual(pointersOf(schema, { $ref: '#/nowhere', id: 'x' }), ['']);
});

test('id is an annotation at the root and beside $ref', () => {
  const schema: Schema = {
    id: 'https://example.com/schema.json',
    definitions: { a: { type: 'integer' } },
    items: { id: 'https://example.org/', $ref: '#/definitions/a' },
  };
  assert.deepEqual(pointersOf(schema, [1, 'a']), ['/1']);
});

for (const [schema, location, reason] of [
  [{ $ref: 'http://json-schema.org/draft-04/schema#' }, '/$ref', 'no other document'],
  [{ $ref: 'other.json#/definitions/a' }, '/$ref', 'no other document'],
  [{ $ref: '' }, '/$ref', 'expected # and a JSON pointer'],
  [{ $ref: '#a' }, '/$ref', 'no name set by "id"'],
  [{ $ref: { type: 'string' } }, '/$ref', 'expected # and a JSON pointer'],
  [{ id: 'http://a/b', items: { $ref: 'http://a/b#' } }, '/items/$ref', 'no other document'],
  [{ definitions: { a: { id: '#a' } } }, '/definitions/a/id', 'at the root only'],
  [{ properties: { id: { id: 'a' } } }, '/properties/id/id', 'at the root only'],
  [{ items: { $ref: '#/definitions/b' }, definitions: { a: {} } }, '/items/$ref', 'no schema at'],
  [{ items: [{ $ref: '#/items/00' }] }, '/items/0/$ref', 'no schema at'],
  [{ not: { $ref: '#/definitions' }, definitions: {} }, '/not/$ref', 'no schema at'],
  [{ not: { $ref: '#/enum/0' }, enum: [{}] }, '/not/$ref', 'no schema at'],
  [{ not: { $ref: '#/__proto__' } }, '/not/$ref', 'no schema at'],
  [{ not: { $ref: '#/%zz' } }, '/not/$ref', 'hexadecimal'],
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

for (const schema of [
  { $ref: '#' },
  { allOf: [{ $ref: '#' }] },
  { not: { $ref: '#' } },
  { dependencies: { a: { $ref: '#' } } },
  {
    items: { $ref: '#/definitions/a' },
    definitions: {
      a: { $ref: '#/definitions/b' },
      b: { anyOf: [{ type: 'null' }, { oneOf: [{ $ref: '#/definitions/a' }] }] },
    },
  },
] satisfies readonly Schema[]) {
  test(`${JSON.stringify(schema)} is refused, because it never steps into the value`, () => {
    assert.throws(() => compileSchema(schema), /leads to itself/);
  });
}

for (const [keyword, schema] of Object.entries({
  items: { items: { $ref: '#' } },
  additionalItems: { items: [], additionalItems: { $ref: '#' } },
  properties: { properties: { a: { $ref: '#' } } },
  patternProperties: { patternProperties: { a: { $ref: '#' } } },
  additionalProperties: { additionalProperties: { $ref: '#' } },
  definitions: { definitions: { a: { $ref: '#' } } },
} satisfies Record<string, Schema>)) {
  test(`a schema may refer to itself through ${keyword}`, () => {
    assert.deepEqual(compileSchema(schema)([{ a: [] }]), []);
  });
}

for (const [length, isAccepted] of [
  [16, true],
  [17, false],
  [100_000, false],
] as const) {
  test(`a chain of ${length} schemas is ${isAccepted ? 'accepted' : 'refused'}`, () => {
    const definitions: Record<string, Schema> = { 1: { type: 'integer' } };
    for (let index = 2; index < length; index += 1) {
      definitions[index] = { $ref: `#/definitions/${index - 1}` };
    }
    const schema: Schema = { $ref: `#/definitions/${length - 1}`, definitions };
    if (isAccepted) {
      assert.deepEqual(pointersOf(schema, 'a'), ['']);
    } else {
      assert.throws(() => compileSchema(schema), /more than 16 schemas in a row/);
    }
  });
}
