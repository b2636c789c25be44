/**
 * A validator for a subset of JSON Schema draft 4 (draft-zyp-json-schema-04 and
 * draft-fge-json-schema-validation-00). It compiles a schema once to closures, which then report everything
 * that is wrong with a value.
 *
 * Schemas come from our own code, so TypeScript checks their operands against `Schema`. Only a keyword that
 * is not implemented is refused here, so that no part of a schema is skipped silently.
 * Nothing recurses deeper than the schema, however deep the value is.
 */

import { isDeepStrictEqual } from 'node:util';

import { textFormats } from './formats.ts';
import type { Schema, SimpleType } from './schema.ts';

/** One reason why a schema refuses a value. It never quotes the value, which may be a password. */
interface Complaint {
  /** JSON pointer (RFC 6901) to the wrong or missing part of the value; '' is the whole value. */
  readonly pointer: string;
  /** The keyword that the value violates. */
  readonly keyword: string;
  /** A text for people. It completes a sentence that begins with the name of the part; no full stop. */
  readonly message: string;
}

/** Reports everything that is wrong with a value; an empty list means that the value is valid. */
export type Validate = (value: unknown) => readonly Complaint[];

/** The most complaints. Nobody reads more, and a small value must not cause an answer many times its size. */
const COMPLAINTS_MAX = 100;

/**
 * Compiles a schema.
 *
 * @returns A function from a JSON value to its first 100 complaints.
 * @throws Error if the schema has a keyword that is not a member of `Schema`, or a malformed pattern.
 */
export function compileSchema(schema: Schema): Validate {
  const check = compile(schema);
  return (value) => {
    const complaints: Complaint[] = [];
    check(value, '', complaints);
    return complaints;
  };
}

/** Judges a part of the value, which the pointer names, and adds a complaint for each mistake. */
type Check = (value: unknown, pointer: string, complaints: Complaint[]) => void;

/** Compiles a keyword to its check. The operand is the value of the keyword in the schema. */
type Rule<Operand> = (operand: Operand, schema: Schema, keyword: string) => Check;

/**
 * The rules (draft 4 validation §5 to §7). TypeScript demands one for each keyword of `Schema`, and no other.
 * Messages quote the schema, never the value.
 */
const ruleTable: { readonly [Keyword in keyof Schema]-?: Rule<NonNullable<Schema[Keyword]>> } = {
  title: ignore,
  description: ignore,
  example: ignore,

  type(operand, _schema, keyword) {
    const types = [operand].flat().map((name) => simpleTypes[name]);
    const message = `must be ${types.map(({ title }) => title).join(' or ')}`;
    return demand(isAnything, keyword, message, (value) => types.some(({ matches }) => matches(value)));
  },
  enum(items, _schema, keyword) {
    const texts = items.map((item) => JSON.stringify(item)).join(', ');
    const message = `must be ${items.length === 1 ? '' : 'one of '}${quote(texts)}`;
    return demand(isAnything, keyword, message,
      (value) => items.some((item) => item === value || isDeepStrictEqual(item, value)));
  },
  allOf: (schemas) => combine(schemas.map(compile)),
  anyOf: (schemas, _schema, keyword) => countMatches(schemas, keyword, 'one', (matches) => matches > 0),
  oneOf: (schemas, _schema, keyword) =>
    countMatches(schemas, keyword, 'exactly one', (matches) => matches === 1),
  not(schema, _schema, keyword) {
    const check = compile(schema);
    const message = `must not be ${schema.title ?? 'what the schema forbids'}`;
    return demand(isAnything, keyword, message, (value) => !accepts(check, value));
  },

  minimum: (bound, { exclusiveMinimum: over = false }, keyword) =>
    demand(isNumber, keyword, `must be ${over ? 'greater than' : 'at least'} ${bound}`,
      (value) => (over ? value > bound : value >= bound)),
  exclusiveMinimum: ignore, // modifies `minimum`
  maximum: (bound, { exclusiveMaximum: under = false }, keyword) =>
    demand(isNumber, keyword, `must be ${under ? 'less than' : 'at most'} ${bound}`,
      (value) => (under ? value < bound : value <= bound)),
  exclusiveMaximum: ignore, // modifies `maximum`

  minLength: (length, _schema, keyword) =>
    demand(isString, keyword, `must be at least ${count(length, 'character')} long`,
      (text) => isLongerThan(text, length - 1)),
  maxLength: (length, _schema, keyword) =>
    demand(isString, keyword, `must be at most ${count(length, 'character')} long`,
      (text) => !isLongerThan(text, length)),
  pattern(source, { title = `text that matches ${quote(source)}`, maxLength = Infinity }, keyword) {
    const pattern = new RegExp(source, 'u'); // matches code points rather than UTF-16 units
    // Text that `maxLength` refuses is not matched, so the length bounds the time that a pattern takes.
    return demand(isString, keyword, `must be ${title}`,
      (text) => isLongerThan(text, maxLength) || pattern.test(text));
  },
  format(name, _schema, keyword) {
    const { title, matches } = textFormats[name];
    return demand(isString, keyword, `must be ${title}`, matches);
  },

  items(schema) {
    const check = compile(schema);
    return (value, pointer, complaints) => {
      for (const [index, item] of isArray(value) ? value.entries() : []) {
        check(item, `${pointer}/${index}`, complaints);
      }
    };
  },
  minItems: (size, _schema, keyword) =>
    demand(isArray, keyword, `must have at least ${count(size, 'item')}`, (items) => items.length >= size),
  maxItems: (size, _schema, keyword) =>
    demand(isArray, keyword, `must have at most ${count(size, 'item')}`, (items) => items.length <= size),

  properties(schemas) {
    const checks = new Map(Object.entries(schemas).map(([name, schema]) => [name, compile(schema)]));
    return checkMembers((name) => checks.get(name));
  },
  /** Judges the members that `properties` does not name. True allows them, false forbids them. */
  additionalProperties(additional, { properties = {} }, keyword) {
    const forbid: Check = (_value, pointer, complaints) =>
      complain(complaints, { pointer, keyword, message: 'is not allowed' });
    const check = typeof additional === 'object' ? compile(additional) : additional ? ignore() : forbid;
    return checkMembers((name) => (Object.hasOwn(properties, name) ? undefined : check));
  },
  /** Complains with the pointer of the missing member, so that a form can show it next to the field. */
  required: (names, _schema, keyword) => (value, pointer, complaints) => {
    const missing = isObject(value) ? names.filter((name) => !Object.hasOwn(value, name)) : [];
    for (const name of missing) {
      complain(complaints, { pointer: extendPointer(pointer, name), keyword, message: 'is required' });
    }
  },
};

const rules: ReadonlyMap<string, Rule<never>> = new Map(Object.entries(ruleTable));

function compile(schema: Schema): Check {
  return combine(Object.entries(schema).map(([keyword, operand]) => {
    const rule = rules.get(keyword);
    if (rule === undefined) {
      throw new Error(`Cannot compile a schema: the keyword "${keyword}" is not supported`);
    }
    // The type of the table pairs each keyword with a rule for its operand.
    return rule(operand as never, schema, keyword);
  }));
}

function combine(checks: readonly Check[]): Check {
  return (value, pointer, complaints) => {
    for (const check of checks) {
      check(value, pointer, complaints);
    }
  };
}

function complain(complaints: Complaint[], complaint: Complaint): void {
  if (complaints.length < COMPLAINTS_MAX) {
    complaints.push(complaint);
  }
}

function accepts(check: Check, value: unknown): boolean {
  const complaints: Complaint[] = [];
  check(value, '', complaints);
  return complaints.length === 0;
}

/** An annotation, or a keyword that the rule of another keyword reads. */
function ignore(): Check {
  return () => {};
}

/** Makes a check that judges values of one type, and accepts all other values. */
function demand<Value>(
  isOfType: (value: unknown) => value is Value,
  keyword: string,
  message: string,
  holds: (value: Value) => boolean,
): Check {
  return (value, pointer, complaints) => {
    if (isOfType(value) && !holds(value)) {
      complain(complaints, { pointer, keyword, message });
    }
  };
}

function countMatches(
  schemas: readonly Schema[],
  keyword: string,
  words: string,
  isEnough: (matches: number) => boolean,
): Check {
  const checks = schemas.map(compile);
  const message = `must match ${words} of ${count(checks.length, 'alternative')}`;
  return demand(isAnything, keyword, message,
    (value) => isEnough(checks.filter((check) => accepts(check, value)).length));
}

/** Applies a check to each member of an object. */
function checkMembers(findCheck: (name: string) => Check | undefined): Check {
  return (value, pointer, complaints) => {
    for (const [name, member] of isObject(value) ? Object.entries(value) : []) {
      findCheck(name)?.(member, extendPointer(pointer, name), complaints);
    }
  };
}

/** The simple types: the name in messages, and a test that recognises the values. */
const simpleTypes: {
  readonly [name in SimpleType]: { readonly title: string; readonly matches: (value: unknown) => boolean };
} = {
  array: { title: 'an array', matches: isArray },
  boolean: { title: 'a boolean', matches: (value) => typeof value === 'boolean' },
  integer: { title: 'an integer', matches: Number.isInteger },
  null: { title: 'null', matches: (value) => value === null },
  number: { title: 'a number', matches: isNumber },
  object: { title: 'an object', matches: isObject },
  string: { title: 'a string', matches: isString },
};

function isAnything(_value: unknown): _value is unknown {
  return true;
}

function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/**
 * Counts Unicode code points, as draft 4 requires: an emoji is one character and not two. Each has one or two
 * code units, so most texts need no counting.
 */
function isLongerThan(text: string, characters: number): boolean {
  return text.length > characters && (text.length > 2 * characters || Array.from(text).length > characters);
}

/** Extends a JSON pointer (RFC 6901) by the name of a member. */
function extendPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Writes a number with its noun: "1 item", "2 items". */
function count(size: number, noun: string): string {
  return `${size} ${noun}${size === 1 ? '' : 's'}`;
}

/** Cuts a long text, to keep messages readable and small. */
function quote(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
