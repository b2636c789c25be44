/**
 * A validator for a subset of JSON Schema draft 4 (draft-zyp-json-schema-04 and
 * draft-fge-json-schema-validation-00). It compiles a schema once to closures, which then report everything
 * that is wrong with a value.
 *
 * Compiling refuses a keyword or format that is not implemented, and an operand that draft 4 does not allow.
 * So no rule of a schema is skipped silently.
 *
 * Read on in `schema.ts` (the keywords), `check.ts` (the parts of rules) and `keywords.ts` (the rules).
 */

import { combineChecks, refuse, type Check, type Complaint, type Operand } from './check.ts';
import { extendPointer, isDeeperThan, isObject } from './json.ts';
import { keywords } from './keywords.ts';
import type { Schema } from './schema.ts';

/** Reports everything that is wrong with a value; an empty list means that the value is valid. */
export type Validate = (value: unknown) => readonly Complaint[];

/** The most levels of nesting. Deeper values and schemas are refused before anything recurses into them. */
const DEPTH_MAX = 64;

/** How often one validation may apply a schema to a part of the value. This takes less than a second. */
const STEPS_MAX = 1_000_000;

/** The most complaints. Nobody reads more, and a small value must not cause an answer many times its size. */
const COMPLAINTS_MAX = 100;

/**
 * Compiles a schema.
 *
 * @param schema - JSON of any origin: the schema itself is checked in full, whatever its type promises.
 * @returns A function from a JSON value to its first 100 complaints. A value with more than 64 levels of
 *   nesting, or a value that takes a million steps, gets one complaint with the keyword `limit` instead.
 * @throws Error with the JSON pointer and the reason when the schema is refused.
 */
export function compileSchema(schema: Schema): Validate {
  if (isDeeperThan(DEPTH_MAX, schema)) {
    refuse('', `expected at most ${DEPTH_MAX} levels of nesting`);
  }
  const check = compileNode(schema, '');
  return (value) => validate(check, value);
}

function compileNode(schema: unknown, location: string): Check {
  if (!isObject(schema)) {
    return refuse(location, 'expected a schema, which is an object');
  }
  const ownMembers = { ...schema };
  const checks = Object.entries(schema).map(([keyword, value]) => {
    const at = extendPointer(location, keyword);
    const rule = keywords.get(keyword) ?? refuse(at, `the keyword "${keyword}" is not supported`);
    const compile: Operand['compile'] = (inner, step) =>
      compileNode(inner, step === undefined ? at : extendPointer(at, step));
    return rule({ keyword, value, location: at, schema: ownMembers, compile });
  });
  return combineChecks(checks.filter((check) => check !== undefined));
}

function validate(check: Check, value: unknown): readonly Complaint[] {
  if (isDeeperThan(DEPTH_MAX, value)) {
    return [limit(`must not be nested in more than ${DEPTH_MAX} levels`)];
  }
  const complaints: Complaint[] = [];
  const effort = { stepsLeft: STEPS_MAX };
  check(value, '', { complaints, complaintsMax: COMPLAINTS_MAX, effort });
  // An abandoned validation proves nothing. A schema whose check was skipped seems to accept the value, so
  // `not` would refuse it wrongly.
  return effort.stepsLeft > 0 ? complaints : [limit('is too large to be checked')];
}

function limit(message: string): Complaint {
  return { pointer: '', keyword: 'limit', message };
}
