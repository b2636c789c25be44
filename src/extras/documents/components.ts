/**
 * Writes schemas for OpenAPI 3.0, and the named parts of the API document. In OpenAPI 3.0, `nullable`
 * replaces the type `null` of JSON Schema draft 4, and patterns use the syntax of ECMAScript 5. ECMAScript 5
 * has no `\p`, so a pattern with `\p` is left out. The title of the schema describes the pattern.
 */
import type { Schema } from '../../jsonschema/schema.ts';
import type { TypedSchema } from '../../jsonschema/typed.ts';
import { auditEvent, project, tokenRecord, user, userSummary } from './records.ts';

/** A JSON object; `JSON.stringify` leaves out members that are `undefined`. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The names of the records to which the API document refers. */
const RECORD_NAMES = new Map([
  [userSummary.json, 'UserSummary'], [project.json, 'Project'], [user.json, 'User'],
  [tokenRecord.json, 'TokenRecord'], [auditEvent.json, 'AuditEvent'],
]);

export function createComponents() {
  const components: Record<string, Record<string, JsonObject>> = {};

  /** Returns a reference to a part of the document, such as a schema. Adds a missing part. */
  function share(
    section: 'schemas' | 'headers' | 'responses', name: string, create: () => JsonObject,
  ): JsonObject {
    (components[section] ??= {})[name] ??= create();
    return { $ref: `#/components/${section}/${name}` };
  }

  function schema(part: Schema, name = RECORD_NAMES.get(part)): JsonObject {
    return name === undefined ? toOpenApi(part) : share('schemas', name, () => toOpenApi(part));
  }

  function toOpenApi({ type, pattern, check, properties, items, ...others }: Schema): JsonObject {
    return {
      ...others,
      ...(typeof type === 'object' ? { type: type[0], nullable: true } : { type }),
      pattern: pattern?.includes('\\p{') ? undefined : pattern,
      items: items && schema(items),
      properties: properties && mapValues(properties, (member) => schema(member)),
    };
  }

  function content({ json, example }: TypedSchema<unknown>, name?: string): JsonObject {
    const examples = example === undefined ? undefined : { example: { summary: 'Example', value: example } };
    return { schema: schema(json, name), examples };
  }

  return { share, schema, content, components };
}

export function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>, map: (value: Value, name: string) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}
