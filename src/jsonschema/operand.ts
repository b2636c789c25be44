/**
 * Reading the operands of keywords. A schema comes as any JSON value, so whatever draft 4 does not
 * allow there is refused, with its location, when the schema is compiled.
 */

import { hasDuplicates, isObject, type JsonObject } from './json.ts';

/** What stands behind a keyword in a schema. */
export interface Operand {
  readonly keyword: string;
  readonly value: unknown;
  /** JSON pointer to the operand in the schema document. */
  readonly location: string;
  /** The schema object around it, for keywords that depend on their neighbours. */
  readonly schema: JsonObject;
}

/** A kind of operand: how to recognise it, and what to call it. */
interface Kind<T> {
  readonly name: string;
  readonly is: (value: unknown) => value is T;
}

/** Ends the compilation of a schema. */
export function refuse(location: string, reason: string): never {
  throw new Error(`Cannot compile the schema at "#${location}": ${reason}`);
}

/** The operand's value, as the kind that its keyword demands. Refuses any other. */
export function readOperand<T>(operand: Operand, kind: Kind<T>): T {
  const { value } = operand;
  return kind.is(value) ? value : refuse(operand.location, `expected ${kind.name}`);
}

/** The source of an ECMAScript regular expression, for code points rather than UTF-16 units. */
export function readPattern(source: string, location: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return refuse(location, `"${source}" is not an ECMAScript regular expression`);
  }
}

export const BOOLEAN: Kind<boolean> = {
  name: 'true or false',
  is: (value) => typeof value === 'boolean',
};

export const NUMBER: Kind<number> = {
  name: 'a number',
  is: (value): value is number => Number.isFinite(value),
};

export const POSITIVE_NUMBER: Kind<number> = {
  name: 'a number greater than 0',
  is: (value): value is number => NUMBER.is(value) && value > 0,
};

export const SIZE: Kind<number> = {
  name: 'an integer of at least 0',
  is: (value): value is number => NUMBER.is(value) && Number.isInteger(value) && value >= 0,
};

export const STRING: Kind<string> = {
  name: 'a string',
  is: (value) => typeof value === 'string',
};

export const OBJECT: Kind<JsonObject> = {
  name: 'an object',
  is: isObject,
};

export const LIST: Kind<readonly unknown[]> = {
  name: 'a list with at least one item',
  is: (value): value is readonly unknown[] => Array.isArray(value) && value.length > 0,
};

export const SET: Kind<readonly unknown[]> = {
  name: 'a list with at least one item and none twice',
  is: (value): value is readonly unknown[] => LIST.is(value) && !hasDuplicates(value),
};

export const NAMES: Kind<readonly string[]> = {
  name: 'a list with at least one name and none twice',
  is: (value): value is readonly string[] => SET.is(value) && value.every(STRING.is),
};
