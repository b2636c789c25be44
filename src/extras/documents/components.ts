/**
 * The parts of the API document that several operations refer to by name. Schemas follow OpenAPI 3.0, which
 * differs from draft 4 of JSON Schema in two ways: `nullable` replaces the type `null`, and patterns are of
 * ECMAScript 5. A pattern with `\p`, which ECMAScript 5 lacks, is left out; its title remains.
 */
import type { Schema } from '../../jsonschema/schema.ts';
import type { TypedSchema } from '../../jsonschema/typed.ts';

/** A part of the document, for `JSON.stringify`, which leaves members out that are `undefined`. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** @param named - Schemas with the names by which the document refers to them. */
export function createComponents(named: Readonly<Record<string, TypedSchema<unknown>>>) {
  const names = new Map(Object.entries(named).map(([name, { json }]) => [json, name]));
  /** The Components Object. */
  const components: Record<string, Record<string, JsonObject>> = {};

  /** Refers to a part. The same name must always have the same content. */
  function share(
    section: 'schemas' | 'headers' | 'responses', name: string, create: () => JsonObject,
  ): JsonObject {
    (components[section] ??= {})[name] ??= create();
    return { $ref: `#/components/${section}/${name}` };
  }

  /** Refers to the schema if it has a name; otherwise writes the schema in place. */
  function schema(part: Schema, name = names.get(part)): JsonObject {
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

  /** The Media Type Object of a schema with an example. */
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
