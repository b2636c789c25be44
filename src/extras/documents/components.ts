/**
 * The parts of the document that operations share and refer to by name. Schemas are written in the dialect of
 * OpenAPI 3.0. It is draft 4 with two differences: `nullable` replaces the type `null`, and patterns are of
 * ECMAScript 5, without properties of Unicode (`\p`): of such a pattern, only the title remains.
 */
import type { Schema } from '../../jsonschema/schema.ts';
import type { TypedSchema } from '../../jsonschema/typed.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** @param named - Schemas with the names by which the document refers to them. */
export function createComponents(named: Readonly<Record<string, TypedSchema<unknown>>>) {
  const names = new Map(Object.entries(named).map(([name, { json }]) => [json, name]));
  /** The Components Object. */
  const collected: Record<string, Record<string, JsonObject>> = {};

  /** Refers to a part. The same name must always have the same content. */
  function share(
    section: 'schemas' | 'headers' | 'responses', name: string, create: () => JsonObject,
  ): JsonObject {
    (collected[section] ??= {})[name] ??= create();
    return { $ref: `#/components/${section}/${name}` };
  }

  /** @param name - The name by which the document refers to the schema; without it, named schemas only. */
  function schema(part: Schema, name = names.get(part)): JsonObject {
    return name === undefined ? toOpenApi(part) : share('schemas', name, () => toOpenApi(part));
  }

  function toOpenApi(
    { title, type, pattern, check, properties, items, not, ...others }: Schema,
  ): JsonObject {
    const members = Object.entries(properties ?? {}).map(([name, member]) => [name, schema(member)]);
    return {
      ...(title !== undefined && { description: `${title.charAt(0).toUpperCase()}${title.slice(1)}.` }),
      ...others,
      ...(typeof type === 'string' && { type }),
      ...(typeof type === 'object' && { type: type[0], nullable: true }), // as `nullable()` makes it
      ...(pattern !== undefined && !pattern.includes('\\p{') && { pattern }),
      ...(items && { items: schema(items) }),
      ...(not && { not: schema(not) }),
      ...(members.length > 0 && { properties: Object.fromEntries(members) }),
    };
  }

  /** The Media Type Object of a schema with an example. */
  function content({ json, example }: TypedSchema<unknown>, name?: string): JsonObject {
    return {
      schema: schema(json, name),
      ...(example !== undefined && { examples: { example: { summary: 'Example', value: example } } }),
    };
  }

  return { share, schema, content, collected };
}
