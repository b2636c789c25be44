/** The validator ignores the keyword `format`. So a request schema with a format also needs a `check`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schema } from '../../src/jsonschema/schema.ts';
import { operations } from '../support/operations.ts';

test('in bodies and parameters, each schema with a format has a check', () => {
  const schemas = Object.values(operations).flatMap(({ body, query }) => [
    ...listParts(body?.content?.schema ?? {}),
    ...Object.values(query).flatMap(({ json }) => listParts(json)),
  ]);
  const withFormat = schemas.filter(({ format }) => format !== undefined);
  assert.deepEqual(new Set(withFormat.map(({ format }) => format)), new Set(['email', 'date-time']));
  assert.deepEqual(withFormat.filter(({ check }) => check === undefined), []);
});

/** Lists a schema and all schemas in it. */
function listParts(schema: Schema): readonly Schema[] {
  const { items, properties = {} } = schema;
  return [schema, ...[...Object.values(properties), ...(items ? [items] : [])].flatMap(listParts)];
}
