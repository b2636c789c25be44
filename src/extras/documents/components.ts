/**
 * The parts of the document that operations share and refer to by name. Schemas are written in the dialect of
 * OpenAPI 3.0. It is draft 4 with two differences: `nullable` replaces the type `null`, and patterns are of
 * ECMAScript 5, without properties of Unicode (`\p`): of such a pattern, only the title remains.
 */
import type { Schema } from '../../jsonschema/schema.ts';
import type { TypedSchema } from '../../jsonschema/typed.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Components {
  /** Refers to a part. The same name must always have the same content. */
  share(section: 'schemas' | 'headers' | 'responses', name: string, create: () => JsonObject): JsonObject;
  /** @param name - The name by which the document refers to the schema; without it, named schemas only. */
  schema(schema: Schema, name?: string): JsonObject;
  /** The Media Type Object of a schema with an example. */
  content(typed: TypedSchema<unknown>, name?: string): JsonObject;
  /** The Components Object. */
  readonly collected: JsonObject;
}

/** @param named - Schemas with the names by which the document refers to them. */
export function createComponents(named: Readonly<Record<string, TypedSchema<unknown>>>): Components {
  const names = new Map(Object.entries(named).map(([name, { json }]) => [json, name]));
  const collected: Record<string, Record<string, JsonObject>> = {};

  function share(section: string, name: string, create: () => JsonObject): JsonObject {
    (collected[section] ??= {})[name] ??= create();
    return { $ref: `#/components/${section}/${name}` };
  }

  function schema(part: Schema, name = names.get(part)): JsonObject {
    const create = () => toOpenApi(part, schema);
    return name === undefined ? create() : share('schemas', name, create);
  }

  function content({ json, example }: TypedSchema<unknown>, name?: string): JsonObject {
    return {
      schema: schema(json, name),
      ...(example !== undefined && { examples: { example: { summary: 'Example', value: example } } }),
    };
  }

  return { share, schema, content, collected };
}

/** @param within - Writes a schema within the schema, in full or as a reference. */
function toOpenApi(schema: Schema, within: (part: Schema) => JsonObject): JsonObject {
  const { title, type, pattern, properties = {}, items, not, ...others } = schema;
  const members = Object.entries(properties).map(([name, member]) => [name, within(member)]);
  return {
    ...(title !== undefined && { description: `${title.charAt(0).toUpperCase()}${title.slice(1)}.` }),
    ...others,
    ...toType(type),
    ...(pattern !== undefined && !pattern.includes('\\p{') && { pattern }),
    ...(items && { items: within(items) }),
    ...(not && { not: within(not) }),
    ...(members.length > 0 && { properties: Object.fromEntries(members) }),
  };
}

/** @throws Error for several types without `null`, which OpenAPI 3.0 cannot express. */
function toType(type: Schema['type']): JsonObject {
  if (typeof type === 'string' || type === undefined) {
    return type === undefined ? {} : { type };
  }
  const [first, ...others] = type.filter((name) => name !== 'null');
  if (first === undefined || others.length > 0) {
    throw new Error(`OpenAPI 3.0 cannot say the types ${type.join(', ')}`);
  }
  return { type: first, nullable: true };
}
