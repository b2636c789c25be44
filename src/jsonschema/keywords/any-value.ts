/** Keywords for values of every type (draft 4 validation §5.5). */

import { complain, passes, type Check } from '../check.ts';
import { isObject, toCanonicalText } from '../json.ts';
import {
  demand,
  quantity,
  quote,
  titleOf,
  type CompileInside,
  type Keywords,
} from '../keyword.ts';
import { readOperand, refuse, SET, type Operand } from '../operand.ts';
import { compileByName, compileList } from './nested.ts';

export const anyValueKeywords = {
  enum: compileEnum,
  type: compileType,
  allOf: compileAllOf,
  anyOf: compileAnyOf,
  oneOf: compileOneOf,
  not: compileNot,
  definitions: compileDefinitions,
} satisfies Keywords;

function compileEnum(operand: Operand): Check {
  const members = readOperand(operand, SET).map(toCanonicalText);
  const allowed = new Set(members);
  const list = quote(members.join(', '));
  return demand(
    operand,
    members.length === 1 ? `must be ${list}` : `must be one of ${list}`,
    (value) => allowed.has(toCanonicalText(value)),
  );
}

/** A type of draft 4: what to call its values, and how to recognise them. */
interface Type {
  readonly name: string;
  readonly is: (value: unknown) => boolean;
}

const types: ReadonlyMap<unknown, Type> = new Map<unknown, Type>([
  ['array', { name: 'an array', is: Array.isArray }],
  ['boolean', { name: 'a boolean', is: (value) => typeof value === 'boolean' }],
  ['integer', { name: 'an integer', is: Number.isInteger }],
  ['null', { name: 'null', is: (value) => value === null }],
  ['number', { name: 'a number', is: (value) => typeof value === 'number' }],
  ['object', { name: 'an object', is: isObject }],
  ['string', { name: 'a string', is: (value) => typeof value === 'string' }],
]);

function compileType(operand: Operand): Check {
  const names = Array.isArray(operand.value) ? readOperand(operand, SET) : [operand.value];
  const allowed = names.map(
    (name) =>
      types.get(name) ??
      refuse(operand.location, `expected one of the types ${[...types.keys()].join(', ')}`),
  );
  const message = `must be ${allowed.map(({ name }) => name).join(' or ')}`;
  return demand(operand, message, (value) => allowed.some(({ is }) => is(value)));
}

function compileAllOf(operand: Operand, compile: CompileInside): Check {
  const checks = compileList(operand, compile);
  return (value, place) => {
    for (const check of checks) {
      check(value, place);
    }
  };
}

function compileAnyOf(operand: Operand, compile: CompileInside): Check {
  const { keyword } = operand;
  const checks = compileList(operand, compile);
  const message = `must match one of ${quantity(checks.length, 'alternative')}`;
  return (value, place) => {
    for (const check of checks) {
      if (passes(check, value, place)) {
        return;
      }
    }
    complain(place, { keyword, message });
  };
}

function compileOneOf(operand: Operand, compile: CompileInside): Check {
  const { keyword } = operand;
  const checks = compileList(operand, compile);
  const message = `must match exactly one of ${quantity(checks.length, 'alternative')}`;
  return (value, place) => {
    let matches = 0;
    for (const check of checks) {
      matches += passes(check, value, place) ? 1 : 0;
    }
    if (matches !== 1) {
      complain(place, { keyword, message });
    }
  };
}

function compileNot(operand: Operand, compile: CompileInside): Check {
  const { keyword, value: schema } = operand;
  const check = compile(schema);
  const message = `must not be ${titleOf(schema) ?? 'what the schema forbids'}`;
  return (value, place) => {
    if (passes(check, value, place)) {
      complain(place, { keyword, message });
    }
  };
}

/** They demand nothing where they stand, but a mistake in them is refused at once. */
function compileDefinitions(operand: Operand, compile: CompileInside): undefined {
  compileByName(operand, compile);
}
