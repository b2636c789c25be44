/** Keywords for objects (draft 4 validation §5.4). Every other value satisfies them. */

import { complain, partOf, type Check } from '../check.ts';
import { extendPointer, isObject, membersOf, ownMember, type JsonObject } from '../json.ts';
import { demand, quantity, quote, type CompileInside, type Keywords } from '../keyword.ts';
import { NAMES, OBJECT, readOperand, readPattern, SIZE, type Operand } from '../operand.ts';
import { compileAdditional, compileByName } from './nested.ts';

export const objectKeywords = {
  properties: compileProperties,
  patternProperties: compilePatternProperties,
  additionalProperties: compileAdditionalProperties,
  required: compileRequired,
  minProperties: compileMinProperties,
  maxProperties: compileMaxProperties,
  dependencies: compileDependencies,
} satisfies Keywords;

function compileProperties(operand: Operand, compile: CompileInside): Check {
  const checks = new Map(compileByName(operand, compile));
  return (value, place) => {
    for (const [name, member] of membersOf(value)) {
      checks.get(name)?.(member, partOf(place, name));
    }
  };
}

function compilePatternProperties(operand: Operand, compile: CompileInside): Check {
  const checks = compileByName(operand, compile).map(
    ([source, check]) => [readPattern(source, operand.location), check] as const,
  );
  return (value, place) => {
    for (const [name, member] of membersOf(value)) {
      for (const [pattern, check] of checks) {
        if (pattern.test(name)) {
          check(member, partOf(place, name));
        }
      }
    }
  };
}

/** Governs the members that neither `properties` nor `patternProperties` describes. */
function compileAdditionalProperties(operand: Operand, compile: CompileInside): Check | undefined {
  const check = compileAdditional(operand, compile);
  if (!check) {
    return undefined;
  }
  const names = new Set(namesIn(operand, 'properties'));
  const patterns = namesIn(operand, 'patternProperties').map((source) =>
    readPattern(source, operand.location),
  );
  return (value, place) => {
    for (const [name, member] of membersOf(value)) {
      if (!names.has(name) && !patterns.some((pattern) => pattern.test(name))) {
        check(member, partOf(place, name));
      }
    }
  };
}

/** Complains at the missing member, so that a form can say it beside the field. */
function compileRequired(operand: Operand): Check {
  const { keyword } = operand;
  return requireMembers(readOperand(operand, NAMES), { keyword, message: 'is required' });
}

function compileMinProperties(operand: Operand): Check {
  const size = readOperand(operand, SIZE);
  const message = `must have at least ${quantity(size, 'member')}`;
  return demandOfObject(operand, message, (object) => Object.keys(object).length >= size);
}

function compileMaxProperties(operand: Operand): Check {
  const size = readOperand(operand, SIZE);
  const message = `must have at most ${quantity(size, 'member')}`;
  return demandOfObject(operand, message, (object) => Object.keys(object).length <= size);
}

/** Name → what the presence of that member demands of the object. */
function compileDependencies(operand: Operand, compile: CompileInside): Check {
  const checks = Object.entries(readOperand(operand, OBJECT)).map(
    ([name, dependency]) => [name, compileDependency(operand, compile, name, dependency)] as const,
  );
  return (value, place) => {
    for (const [name, check] of checks) {
      if (isObject(value) && Object.hasOwn(value, name)) {
        check(value, place);
      }
    }
  };
}

/** A list of other members, or a schema for the whole object. */
function compileDependency(
  operand: Operand,
  compile: CompileInside,
  name: string,
  dependency: unknown,
): Check {
  if (!Array.isArray(dependency)) {
    return compile(dependency, name);
  }
  const location = extendPointer(operand.location, name);
  const names = readOperand({ ...operand, value: dependency, location }, NAMES);
  const { keyword } = operand;
  return requireMembers(names, { keyword, message: `is required beside "${quote(name)}"` });
}

function requireMembers(
  names: readonly string[],
  complaint: { readonly keyword: string; readonly message: string },
): Check {
  return (value, place) => {
    for (const name of names) {
      if (isObject(value) && !Object.hasOwn(value, name)) {
        complain(partOf(place, name), complaint);
      }
    }
  };
}

function namesIn(operand: Operand, neighbour: string): readonly string[] {
  return membersOf(ownMember(operand.schema, neighbour)).map(([name]) => name);
}

function demandOfObject(
  operand: Operand,
  message: string,
  holds: (object: JsonObject) => boolean,
): Check {
  return demand(operand, message, (value) => !isObject(value) || holds(value));
}
