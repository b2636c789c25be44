/**
 * Collects the parts of the document that operations share and refer to by name. Only parts that are referred
 * to are in the document.
 */
import type { Schema } from '../../jsonschema/schema.ts';
import { headerObject, type HeaderName } from './headers.ts';
import { toDefinition, toSchemaObject, type JsonObject } from './schemas.ts';

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
