/**
 * Collects the parts of the document that operations share and refer to by name. Only parts that are referred
 * to are in the document. Schemas are written in the dialect of OpenAPI 3.0. It is draft 4 with two
 * differences: `nullable` replaces the type `null`, and patterns are of ECMAScript 5, without properties of
 * Unicode (`\p`).
 */
import type { Schema } from '../../jsonschema/schema.ts';
import { headerObject, type HeaderName } from './headers.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Components {
  schema(schema: Schema): JsonObject;
  /** Gives a schema a name, by which the document refers to it from then on. */
  name(name: string, schema: Schema): JsonObject;
  headers(names: readonly HeaderName[]): JsonObject;
  /** Refers to a parameter or a response. The same name must always have the same content. */
  share(section: 'parameters' | 'responses', name: string, part: JsonObject): JsonObject;
  /** The Components Object. */
  collect(): JsonObject;
}

type Section = 'schemas' | 'parameters' | 'headers' | 'responses';

/** @param named - Schemas with the names by which the document refers to them. */
export function createComponents(named: Iterable<readonly [name: string, schema: Schema]>): Components {
  const names = new Map([...named].map(([name, schema]) => [schema, name]));
  const sections: Record<Section, Map<string, JsonObject>> = {
    schemas: new Map(), parameters: new Map(), headers: new Map(), responses: new Map(),
  };

  function refer(section: Section, name: string, create: () => JsonObject): JsonObject {
    if (!sections[section].has(name)) {
      sections[section].set(name, {}); // keeps its place in front of the parts that it refers to
      sections[section].set(name, create());
    }
    return { $ref: `#/components/${section}/${name}` };
  }

  function nameOf(schema: Schema): string | undefined {
    const name = names.get(schema);
    if (name !== undefined) {
      refer('schemas', name, () => toDefinition(schema, nameOf));
    }
    return name;
  }

  return {
    schema: (schema) => toSchemaObject(schema, nameOf),
    name(name, schema) {
      names.set(schema, name);
      return toSchemaObject(schema, nameOf);
    },
    headers(headerNames) {
      return Object.fromEntries(headerNames.map((name) => [name, refer('headers', name, () => ({
        ...headerObject(name),
      }))]));
    },
    share: (section, name, part) => refer(section, name, () => part),
    collect: () => Object.fromEntries(Object.entries(sections).map(([section, parts]) => [
      section, Object.fromEntries(parts),
    ])),
  };
}

/** Returns the name of a schema in the document, if the schema has one. */
type NameOf = (schema: Schema) => string | undefined;

const SCHEMA_KEYWORDS = ['not', 'items', 'additionalProperties'];
const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf'];

/** A schema that has a name is replaced by a reference to it. */
function toSchemaObject(schema: Schema, nameOf: NameOf): JsonObject {
  const name = nameOf(schema);
  return name === undefined ? toDefinition(schema, nameOf) : { $ref: `#/components/schemas/${name}` };
}

/** @returns The schema in full, not a reference, even if it has a name. */
function toDefinition(schema: Schema, nameOf: NameOf): JsonObject {
  const titleSentence = schema.title === undefined ? undefined : toSentence(schema.title);
  const { title, pattern, description = titleSentence, ...keywords } = schema;
  const entries = Object.entries(keywords).map(([keyword, value]) => [
    keyword, toKeyword(keyword, value, nameOf),
  ]);
  return {
    ...(description !== undefined && { description }),
    ...Object.fromEntries(entries),
    ...toNullable(schema),
    ...toPlainPattern(pattern),
  };
}

function toKeyword(keyword: string, value: unknown, nameOf: NameOf): unknown {
  if (SCHEMA_KEYWORDS.includes(keyword) && typeof value === 'object') {
    return toSchemaObject(value as Schema, nameOf);
  }
  if (SCHEMA_LIST_KEYWORDS.includes(keyword)) {
    return (value as readonly Schema[]).map((schema) => toSchemaObject(schema, nameOf));
  }
  if (keyword === 'properties') {
    return Object.fromEntries(
      Object.entries(value as Readonly<Record<string, Schema>>).map(([name, schema]) => [
        name, toSchemaObject(schema, nameOf),
      ]),
    );
  }
  return value;
}

/** @throws Error for several types without `null`, which OpenAPI 3.0 cannot express. */
function toNullable({ type }: Schema): JsonObject {
  if (!Array.isArray(type)) {
    return {};
  }
  const [first, ...others] = type.filter((name) => name !== 'null');
  if (first === undefined || others.length > 0 || type.length !== 2) {
    throw new Error(`OpenAPI 3.0 cannot say the types ${type.join(', ')}`);
  }
  return { type: first, nullable: true };
}

/** Small `\p{…}` classes, spelt out for ECMAScript 5, which has no `\p`. */
const PLAIN_CLASSES = [
  ['\\p{Cc}', '\\u0000-\\u001f\\u007f-\\u009f'],
  [
    '\\p{White_Space}',
    '\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000',
  ],
] as const;

/** Leaves out a pattern about letters, which ECMAScript 5 cannot express. The title of the schema remains. */
function toPlainPattern(pattern: string | undefined): JsonObject {
  const plain = PLAIN_CLASSES.reduce((text, [from, to]) => text?.replaceAll(from, to), pattern);
  return plain === undefined || plain.includes('\\p{') ? {} : { pattern: plain };
}

/** Makes a sentence of a title. A title is written to complete "it must be …". */
function toSentence(title: string): string {
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}.`;
}
