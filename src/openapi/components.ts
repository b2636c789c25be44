/** The parts of the document that operations share and refer to by name. What nobody refers to is left out. */
import type { Schema } from '../jsonschema/schema.ts';
import type { Parameter } from './description.ts';
import { toHeaderObject, type HeaderName } from './headers.ts';
import { shared } from './parameters.ts';
import { toDefinition, toSchemaObject, type JsonObject } from './schemas.ts';

export interface Components {
  schema(schema: Schema): JsonObject;
  /** Gives a schema a name, by which all others refer to it from then on. */
  name(name: string, schema: Schema): JsonObject;
  parameter(parameter: Parameter): JsonObject;
  headers(names: readonly HeaderName[]): JsonObject;
  /** @param name - As it should be; a different response of the same name gets a number behind it. */
  response(name: string, response: JsonObject): JsonObject;
  /** The Components Object, of what was referred to. */
  collect(): JsonObject;
}

type Section = 'schemas' | 'parameters' | 'headers' | 'responses';

const sharedNames = new Map<Parameter, string>(Object.entries(shared).map(([name, parameter]) => [parameter, name]));

/** @param named - Schemas that have a name from the beginning. */
export function createComponents(named: Readonly<Record<string, Schema>>): Components {
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  const sections: Record<Section, Map<string, JsonObject>> = {
    schemas: new Map(),
    parameters: new Map(),
    headers: new Map(),
    responses: new Map(),
  };

  function refer(section: Section, name: string, create: () => JsonObject): JsonObject {
    if (!sections[section].has(name)) {
      sections[section].set(name, {}); // before it is made, as it may refer to itself
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
    parameter(parameter) {
      const object = {
        ...parameter,
        ...(parameter.in === 'path' && { required: true }),
        schema: toSchemaObject(parameter.schema, nameOf),
      };
      const name = sharedNames.get(parameter);
      return name === undefined ? object : refer('parameters', name, () => object);
    },
    headers: (headerNames) =>
      Object.fromEntries(headerNames.map((name) => [name, refer('headers', name, () => ({ ...toHeaderObject(name) }))])),
    response(name, response) {
      const isOther = (candidate: string) => {
        const existing = sections.responses.get(candidate);
        return existing !== undefined && JSON.stringify(existing) !== JSON.stringify(response);
      };
      let free = name;
      for (let number = 2; isOther(free); number += 1) {
        free = `${name}-${number}`;
      }
      return refer('responses', free, () => response);
    },
    collect: () => Object.fromEntries(Object.entries(sections).map(([section, parts]) => [section, Object.fromEntries(parts)])),
  };
}
