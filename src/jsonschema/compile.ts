/**
 * Compiles a schema (draft-fge-json-schema-validation-00) to a function that checks values. A check recurses
 * only as deep as the schema, even if the value is nested deeper.
 */
import type { Complaint, Schema, SimpleType } from './schema.ts';

type Check = (value: unknown, pointer: string) => readonly Complaint[];

/** @returns At most `COMPLAINTS_MAX` complaints about the value at `pointer`; none if the value is valid. */
export type Validate = (value: unknown, pointer?: string) => readonly Complaint[];

/** Limits the number of complaints about a value, because a small value could cause a very long response. */
const COMPLAINTS_MAX = 100;

/** @throws If the schema has an unknown keyword or a malformed pattern. */
export function compileSchema(schema: Schema): Validate {
  const checks = Object.entries(schema).map(([keyword, operand]) => {
    const rule = RULES.get(keyword);
    if (rule === undefined) {
      throw new Error(`Cannot compile a schema: the keyword "${keyword}" is not supported`);
    }
    return rule(operand as never, schema); // the type `Rules` ensures that the operand fits the keyword
  });
  return (value, pointer = '') =>
    checks.flatMap((check) => check(value, pointer)).slice(0, COMPLAINTS_MAX);
}

const isAnything = (_: unknown): _ is unknown => true;
const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isString = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !isArray(value);

const TYPES: Readonly<Record<SimpleType, { title: string, matches: (value: unknown) => boolean }>> = {
  array: { title: 'an array', matches: isArray },
  boolean: { title: 'a boolean', matches: (value) => typeof value === 'boolean' },
  integer: { title: 'an integer', matches: Number.isInteger },
  object: { title: 'an object', matches: isObject },
  string: { title: 'a string', matches: isString },
};

type Rules = {
  readonly [Keyword in keyof Schema]-?: (operand: NonNullable<Schema[Keyword]>, schema: Schema) => Check;
};

/** One rule for each keyword of `Schema`. Messages never quote values, because a value can be a password. */
const RULES: ReadonlyMap<string, (operand: never, schema: Schema) => Check> = new Map(Object.entries({
  title: () => () => [],
  description: () => () => [],
  example: () => () => [],
  format: () => () => [],

  type: (name) => demand(isAnything, 'type', `must be ${TYPES[name].title}`, TYPES[name].matches),
  enum(words) {
    const texts = words.map((word) => JSON.stringify(word)).join(', ');
    const message = `must be ${words.length === 1 ? '' : 'one of '}${texts}`;
    return demand(isAnything, 'enum', message, (value) => words.some((word) => word === value));
  },

  minimum: (bound) => demand(isNumber, 'minimum', `must be at least ${bound}`, (value) => value >= bound),
  maximum: (bound) => demand(isNumber, 'maximum', `must be at most ${bound}`, (value) => value <= bound),
  minLength: (length) => demand(isString, 'minLength',
    `must be at least ${count(length, 'character')} long`, (text) => isLongerThan(text, length - 1)),
  maxLength: (length) => demand(isString, 'maxLength',
    `must be at most ${count(length, 'character')} long`, (text) => !isLongerThan(text, length)),
  pattern(source, { title = `text that matches ${source}`, maxLength = Infinity }) {
    const pattern = new RegExp(source, 'u'); // with `u`, a pattern matches code points, not UTF-16 units
    // A pattern is not tried on a text longer than `maxLength`, so a match takes a limited time.
    return demand(isString, 'pattern', `must be ${title}`,
      (text) => isLongerThan(text, maxLength) || pattern.test(text));
  },
  check(findFault, { check, ...others }) {
    const validate = compileSchema(others);
    return (value, pointer) => {
      const fault = isString(value) && validate(value).length === 0 ? findFault(value) : undefined;
      return fault === undefined ? [] : [{ pointer, ...fault }];
    };
  },

  minItems: (size) => demand(isArray, 'minItems',
    `must have at least ${count(size, 'item')}`, (items) => items.length >= size),
  maxItems: (size) => demand(isArray, 'maxItems',
    `must have at most ${count(size, 'item')}`, (items) => items.length <= size),
  items(schema) {
    const check = compileSchema(schema);
    return (value, pointer) =>
      isArray(value) ? value.flatMap((item, index) => check(item, `${pointer}/${index}`)) : [];
  },
  properties(schemas) {
    const checks = Object.entries(schemas).map(([name, schema]) => [name, compileSchema(schema)] as const);
    return (value, pointer) => {
      const members = isObject(value) ? value : {};
      return checks.flatMap(([name, check]) =>
        Object.hasOwn(members, name) ? check(members[name], extend(pointer, name)) : []);
    };
  },
  /** The pointer of a complaint names the missing member, so a form can mark the field. */
  required: (names) => (value, pointer) => {
    const missing = isObject(value) ? names.filter((name) => !Object.hasOwn(value, name)) : [];
    return missing.map((name) =>
      ({ pointer: extend(pointer, name), keyword: 'required', message: 'is required' }));
  },
} satisfies Rules));

/** Makes a check for values of one type; values of all other types pass the check. */
function demand<Value>(
  isOfType: (value: unknown) => value is Value, keyword: string, message: string,
  holds: (value: Value) => boolean,
): Check {
  return (value, pointer) => (isOfType(value) && !holds(value) ? [{ pointer, keyword, message }] : []);
}

/** Counts code points, as JSON Schema does. In `text.length`, a code point counts as one or two units. */
function isLongerThan(text: string, characters: number): boolean {
  return text.length > characters && (text.length > 2 * characters || Array.from(text).length > characters);
}

/** Extends a JSON pointer (RFC 6901) by the name of a member. */
function extend(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const count = (size: number, noun: string) => `${size} ${noun}${size === 1 ? '' : 's'}`;
