/**
 * The rules of all keywords (draft 4 validation §5 to §7). Each rule reads its operand and returns the
 * check. Messages quote the schema, never the value.
 */

import {
  accepts, BOOLEAN, combineChecks, complain, FORMAT, LIST, NAMES, NUMBER, OBJECT, PATTERN, readOperand,
  refuse, SIZE, STRING, TYPES, VALUES, type Check, type Kind, type Operand,
} from './check.ts';
import { canonicalText, extendPointer, hasDuplicates, type JsonObject } from './json.ts';
import { isArray, isNumber, isObject, isString, membersOf } from './json.ts';
import type { Schema } from './schema.ts';

/** Compiles a keyword to its check; `undefined` when the keyword has no effect by itself. */
type Rule = (operand: Operand) => Check | undefined;

/** The rules by keyword. TypeScript reports a keyword of `Schema` without a rule. */
const rules: { readonly [keyword in keyof Schema]-?: Rule } = {
  $schema: compileDialect,
  title: compileText,
  description: compileText,
  default: () => undefined,
  example: () => undefined,

  type: demand(TYPES, isAnything, {
    message: (types) => `must be ${types.map(([name]) => name).join(' or ')}`,
    holds: (value, types) => types.some(([, matches]) => matches(value)),
  }),
  enum: demand(VALUES, isAnything, {
    message: (texts) => `must be ${texts.size === 1 ? '' : 'one of '}${quote([...texts].join(', '))}`,
    holds: (value, texts) => texts.has(canonicalText(value)),
  }),
  allOf: (operand) => combineChecks(compileList(operand)),
  anyOf: (operand) => compileAlternatives(operand, 'one', (matches) => matches > 0),
  oneOf: (operand) => compileAlternatives(operand, 'exactly one', (matches) => matches === 1),
  not: compileNot,

  minimum: demand(NUMBER, isNumber, {
    message: (bound, { exclusiveMinimum: over }) => `must be ${over ? 'greater than' : 'at least'} ${bound}`,
    holds: (value, bound, { exclusiveMinimum: over }) => (over ? value > bound : value >= bound),
  }),
  exclusiveMinimum: (operand) => compileExclusive(operand, 'minimum'),
  maximum: demand(NUMBER, isNumber, {
    message: (bound, { exclusiveMaximum: under }) => `must be ${under ? 'less than' : 'at most'} ${bound}`,
    holds: (value, bound, { exclusiveMaximum: under }) => (under ? value < bound : value <= bound),
  }),
  exclusiveMaximum: (operand) => compileExclusive(operand, 'maximum'),

  minLength: demand(SIZE, isString, {
    message: (size) => `must be at least ${count(size, 'character')} long`,
    holds: (text, size) => isLongerThan(text, size - 1),
  }),
  maxLength: demand(SIZE, isString, {
    message: (size) => `must be at most ${count(size, 'character')} long`,
    holds: (text, size) => !isLongerThan(text, size),
  }),
  pattern: demand(PATTERN, isString, {
    message: ({ source }, { title }) => `must be ${title ?? `text that matches ${quote(source)}`}`,
    // Text that `maxLength` refuses is not matched, so the length bounds the time that a pattern takes.
    holds: (text, pattern, { maxLength }) =>
      (isNumber(maxLength) && isLongerThan(text, maxLength)) || pattern.test(text),
  }),
  format: demand(FORMAT, isString, {
    message: ({ title }) => `must be ${title}`,
    holds: (text, { matches }) => matches(text),
  }),

  items: compileItems,
  minItems: demand(SIZE, isArray, {
    message: (size) => `must have at least ${count(size, 'item')}`,
    holds: (items, size) => items.length >= size,
  }),
  maxItems: demand(SIZE, isArray, {
    message: (size) => `must have at most ${count(size, 'item')}`,
    holds: (items, size) => items.length <= size,
  }),
  uniqueItems: demand(BOOLEAN, isArray, {
    message: () => 'must not have the same item twice',
    holds: (items, mustBeUnique) => !mustBeUnique || !hasDuplicates(items),
  }),

  properties: compileProperties,
  additionalProperties: compileAdditionalProperties,
  required: compileRequired,
  minProperties: demand(SIZE, isObject, {
    message: (size) => `must have at least ${count(size, 'member')}`,
    holds: (object, size) => Object.keys(object).length >= size,
  }),
  maxProperties: demand(SIZE, isObject, {
    message: (size) => `must have at most ${count(size, 'member')}`,
    holds: (object, size) => Object.keys(object).length <= size,
  }),
};

export const keywords: ReadonlyMap<string, Rule> = new Map(Object.entries(rules));

/** Makes a rule. Its check judges values of one type, and accepts all other values. */
function demand<Expected, Value>(
  kind: Kind<Expected>,
  isOfType: (value: unknown) => value is Value,
  { message, holds }: {
    readonly message: (expected: Expected, schema: JsonObject) => string;
    readonly holds: (value: Value, expected: Expected, schema: JsonObject) => boolean;
  },
): Rule {
  return (operand) => {
    const { keyword, schema } = operand;
    const expected = readOperand(operand, kind);
    const complaint = { keyword, message: message(expected, schema) };
    return (value, pointer, validation) => {
      if (isOfType(value) && !holds(value, expected, schema)) {
        complain(validation, { pointer, ...complaint });
      }
    };
  };
}

function isAnything(_value: unknown): _value is unknown {
  return true;
}

/** Refuses a schema that was written for another draft, where its keywords mean something else. */
function compileDialect({ value, location }: Operand): undefined {
  const dialect: Schema['$schema'] = 'http://json-schema.org/draft-04/schema#';
  if (value !== dialect) {
    refuse(location, `expected "${dialect}"`);
  }
}

function compileText(operand: Operand): undefined {
  readOperand(operand, STRING);
}

/** Makes no check: in draft 4 this keyword only modifies `minimum` or `maximum`, whose rule reads it. */
function compileExclusive(operand: Operand, bound: 'minimum' | 'maximum'): undefined {
  readOperand(operand, BOOLEAN);
  if (!Object.hasOwn(operand.schema, bound)) {
    refuse(operand.location, `expected "${bound}" in the same schema`);
  }
}

function compileList(operand: Operand): readonly Check[] {
  return readOperand(operand, LIST).map((schema, index) => operand.compile(schema, index));
}

function compileAlternatives(operand: Operand, words: string, isEnough: (matches: number) => boolean): Check {
  const { keyword } = operand;
  const checks = compileList(operand);
  const message = `must match ${words} of ${count(checks.length, 'alternative')}`;
  return (value, pointer, validation) => {
    if (!isEnough(checks.filter((check) => accepts(check, value, validation)).length)) {
      complain(validation, { pointer, keyword, message });
    }
  };
}

function compileNot({ keyword, value: schema, compile }: Operand): Check {
  const check = compile(schema);
  const { title = 'what the schema forbids' } = Object.fromEntries(membersOf(schema));
  const message = `must not be ${title}`;
  return (value, pointer, validation) => {
    if (accepts(check, value, validation)) {
      complain(validation, { pointer, keyword, message });
    }
  };
}

function compileItems({ value: schema, compile }: Operand): Check {
  const check = compile(schema);
  return (value, pointer, validation) => {
    for (const [index, item] of isArray(value) ? value.entries() : []) {
      check(item, extendPointer(pointer, index), validation);
    }
  };
}

function compileProperties(operand: Operand): Check {
  const schemas = membersOf(readOperand(operand, OBJECT));
  const checks = new Map(schemas.map(([name, schema]) => [name, operand.compile(schema, name)]));
  return (value, pointer, validation) => {
    for (const [name, member] of membersOf(value)) {
      checks.get(name)?.(member, extendPointer(pointer, name), validation);
    }
  };
}

/**
 * Judges the members that `properties` does not name. If the operand is a schema, the schema judges each of
 * them; true allows and false forbids them.
 */
function compileAdditionalProperties({ keyword, value: additional, schema, compile }: Operand): Check {
  const forbid: Check = (_value, pointer, validation) =>
    complain(validation, { pointer, keyword, message: 'is not allowed' });
  const check = typeof additional === 'boolean' ? (additional ? undefined : forbid) : compile(additional);
  const names = new Set(membersOf(schema['properties']).map(([name]) => name));
  return (value, pointer, validation) => {
    for (const [name, member] of membersOf(value)) {
      if (!names.has(name)) {
        check?.(member, extendPointer(pointer, name), validation);
      }
    }
  };
}

/** Complains with the pointer of the missing member, so that a form can show it next to the field. */
function compileRequired(operand: Operand): Check {
  const { keyword } = operand;
  const names = readOperand(operand, NAMES);
  return (value, pointer, validation) => {
    for (const name of names) {
      if (isObject(value) && !Object.hasOwn(value, name)) {
        complain(validation, { pointer: extendPointer(pointer, name), keyword, message: 'is required' });
      }
    }
  };
}

/**
 * Counts Unicode code points, as draft 4 requires: an emoji is one character and not two. Each has one or two
 * code units, so most texts need no counting.
 */
function isLongerThan(text: string, characters: number): boolean {
  return text.length > characters && (text.length > 2 * characters || Array.from(text).length > characters);
}

/** Writes a number with its noun: "1 item", "2 items". */
function count(size: number, noun: string): string {
  return `${size} ${noun}${size === 1 ? '' : 's'}`;
}

/** Cuts a long text, to keep messages readable and small. */
function quote(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
