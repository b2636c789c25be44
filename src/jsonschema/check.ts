/**
 * The parts of the rules of keywords: operands and checks. An operand is the value of a keyword in a schema.
 * Compiling reads it, and fails at an operand that draft 4 does not allow. The result is a check, which
 * judges one value, and adds a complaint to the validation for each mistake that it finds.
 */
import { formats, type TextFormat } from './formats.ts';
import {
  canonicalText, hasDuplicates, isArray, isBoolean, isNumber, isObject, isString, type JsonObject,
} from './json.ts';
import type { SimpleType } from './schema.ts';

/** One reason why a schema refuses a value. It never quotes the value, which may be a password. */
export interface Complaint {
  /** JSON pointer (RFC 6901) to the wrong or missing part of the value; '' is the whole value. */
  readonly pointer: string;
  /** The keyword that the value violates, or `limit` when the value is too large to check. */
  readonly keyword: string;
  /** A text for people. It completes a sentence that begins with the name of the part; no full stop. */
  readonly message: string;
}

/** Judges a value. The pointer says where the value is in the whole value. */
export type Check = (value: unknown, pointer: string, validation: Validation) => void;

/** The findings of one validation so far, and the work that it may still do. */
interface Validation {
  readonly complaints: Complaint[];
  /** The validation stops early once it has this many complaints. */
  readonly complaintsMax: number;
  /** The validation is abandoned when no steps are left. Trials share the steps of their validation. */
  readonly effort: { stepsLeft: number };
}

/** Adds a complaint, unless the validation has the most complaints already. */
export function complain({ complaints, complaintsMax }: Validation, complaint: Complaint): void {
  if (complaints.length < complaintsMax) {
    complaints.push(complaint);
  }
}

/** Tells whether a check accepts a value, without adding its complaints to the validation. */
export function accepts(check: Check, value: unknown, { effort }: Validation): boolean {
  const complaints: Complaint[] = [];
  check(value, '', { complaints, complaintsMax: 1, effort });
  return complaints.length === 0;
}

/** Combines checks into one check. It costs a step, and does nothing once the validation has stopped. */
export function combineChecks(checks: readonly Check[]): Check {
  return (value, pointer, validation) => {
    const { complaints, complaintsMax, effort } = validation;
    if (complaints.length === complaintsMax || effort.stepsLeft === 0) {
      return;
    }
    effort.stepsLeft -= 1;
    for (const check of checks) {
      check(value, pointer, validation);
    }
  };
}

/** A keyword with its operand. */
export interface Operand {
  readonly keyword: string;
  readonly value: unknown;
  /** JSON pointer to the operand in the schema. */
  readonly location: string;
  /** The schema that contains the keyword, for keywords that depend on each other. */
  readonly schema: JsonObject;
  /** Compiles a schema in this operand: the operand itself, or a schema one step inside the operand. */
  readonly compile: (schema: unknown, step?: string | number) => Check;
}

/** A kind of operand: its name in messages, and a function that reads it or returns `undefined`. */
export interface Kind<Value> {
  readonly name: string;
  readonly parse: (value: unknown) => Value | undefined;
}

/** Refuses to compile a schema, by throwing an error. */
export function refuse(location: string, reason: string): never {
  throw new Error(`Cannot compile the schema at "#${location}": ${reason}`);
}

export function readOperand<Value>({ value, location }: Operand, { name, parse }: Kind<Value>): Value {
  return parse(value) ?? refuse(location, `expected ${name}`);
}

/** A kind of operand that is used without conversion. */
function kind<Value>(name: string, is: (value: unknown) => value is Value): Kind<Value> {
  return { name, parse: (value) => (is(value) ? value : undefined) };
}

export const BOOLEAN = kind('true or false', isBoolean);
export const NUMBER = kind('a finite number', (value): value is number => Number.isFinite(value));
export const SIZE = kind(
  'an integer of at least 0',
  (value): value is number => isNumber(value) && Number.isInteger(value) && value >= 0,
);
export const STRING = kind('a string', isString);
export const OBJECT = kind('an object', isObject);
export const LIST = kind(
  'a list with at least one item',
  (value): value is readonly unknown[] => isArray(value) && value.length > 0,
);
export const NAMES = kind(
  'a list with at least one name and no duplicates',
  (value): value is readonly string[] => isSet(value) && value.every(isString),
);

/** The members of `enum` as canonical texts. */
export const VALUES: Kind<ReadonlySet<string>> = {
  name: 'a list with at least one item and no duplicates',
  parse: (value) => (isSet(value) ? new Set(value.map(canonicalText)) : undefined),
};

/** A regular expression that matches code points rather than UTF-16 units. */
export const PATTERN: Kind<RegExp> = {
  name: 'an ECMAScript regular expression that is valid with the flag u',
  parse(value) {
    try {
      return isString(value) ? new RegExp(value, 'u') : undefined;
    } catch {
      return undefined;
    }
  },
};

export const FORMAT: Kind<TextFormat> = {
  name: `one of the formats ${[...formats.keys()].join(', ')}`,
  parse: (value) => formats.get(value),
};

/** A type: its name in messages, and a test that recognises its values. */
type Type = readonly [name: string, matches: (value: unknown) => boolean];

const typeTable: { readonly [name in SimpleType]: Type } = {
  array: ['an array', isArray],
  boolean: ['a boolean', isBoolean],
  integer: ['an integer', Number.isInteger],
  null: ['null', (value) => value === null],
  number: ['a number', isNumber],
  object: ['an object', isObject],
  string: ['a string', isString],
};

const types = new Map<unknown, Type>(Object.entries(typeTable));

/** One type, or a list of several types. */
export const TYPES: Kind<readonly Type[]> = {
  name: `some of the types ${[...types.keys()].join(', ')}`,
  parse(value) {
    const names = isSet(value) ? value : [value];
    const found = names.map((name) => types.get(name)).filter((type) => type !== undefined);
    return found.length === names.length ? found : undefined;
  },
};

function isSet(value: unknown): value is readonly unknown[] {
  return isArray(value) && value.length > 0 && !hasDuplicates(value);
}
