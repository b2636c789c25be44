/**
 * A validator for JSON Schema draft 4: compiles a schema once into closures, which then tell
 * everything that is wrong with a value.
 *
 * Specifications: draft-zyp-json-schema-04 (core), draft-fge-json-schema-validation-00, and
 * draft-pbryan-zyp-json-ref-03 (references).
 *
 * It fails closed. What is not implemented is refused when the schema is compiled, so that no
 * demand is ever skipped in silence: unknown keywords and formats, operands that draft 4 does not
 * allow, and references other than `#` with a JSON pointer. `id` is an annotation at the root;
 * below it, where it would rebase references, it is refused. Beside `$ref` draft 4 ignores all
 * keywords; only `definitions` are still compiled there, because references may lead to them.
 *
 * The way through: `compileSchema` compiles each schema object to a node, keyword by keyword
 * (`keywords/`), and links the nodes (`reference.ts`). `Validate` runs the check of the root node,
 * which runs those of its keywords (`check.ts`), which run those of the schemas inside them.
 */

import type { Check, Complaint } from './check.ts';
import { extendPointer, isDeeperThan, isObject, type JsonObject } from './json.ts';
import type { CompileInside, KeywordCompiler } from './keyword.ts';
import { annotations } from './keywords/annotations.ts';
import { anyValueKeywords } from './keywords/any-value.ts';
import { arrayKeywords } from './keywords/arrays.ts';
import { numberKeywords } from './keywords/numbers.ts';
import { objectKeywords } from './keywords/objects.ts';
import { stringKeywords } from './keywords/strings.ts';
import { refuse } from './operand.ts';
import { linkReferences, readReference, type Reference, type SchemaNode } from './reference.ts';
import type { Schema } from './schema.ts';

/** Tells everything that is wrong with a value; an empty list when it is valid. */
export type Validate = (value: unknown) => readonly Complaint[];

/** Values and schemas nested in more levels are refused before anything recurses into them. */
const DEPTH_MAX = 64;

/**
 * How often one validation may apply a schema to a part of the value, which takes less than a
 * second. A recursive schema with alternatives can demand 2^64 times for a value of a kilobyte.
 */
const STEPS_MAX = 1_000_000;

/** Nobody reads more, and a small value must not cause an answer many times its size. */
const COMPLAINTS_MAX = 100;

/** All keywords of the type; `$ref` is none, but takes the place of the whole schema. */
const keywordTable: { readonly [keyword in Exclude<keyof Schema, '$ref'>]: KeywordCompiler } = {
  ...annotations,
  ...anyValueKeywords,
  ...numberKeywords,
  ...stringKeywords,
  ...arrayKeywords,
  ...objectKeywords,
};

const keywords: ReadonlyMap<string, KeywordCompiler> = new Map(Object.entries(keywordTable));

/**
 * The keywords whose schemas apply to parts of the value, or to none. Those of all others count as
 * applying to the same value again: one forgotten here makes a schema refused, not endless.
 */
const keywordsOnParts: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'properties',
  'patternProperties',
  'additionalProperties',
  'definitions',
]);

/**
 * Compiles a schema.
 *
 * @param schema - JSON of any origin: it is checked in full, whatever its type promises.
 * @returns A function from a JSON value to its complaints, the first 100 of them. A value nested in
 *   more than 64 levels, or that takes more than a million steps to check, gets one complaint with
 *   the keyword `limit` instead.
 * @throws Error with the location and the reason when the schema is refused.
 */
export function compileSchema(schema: Schema): Validate {
  if (isDeeperThan(DEPTH_MAX, schema)) {
    refuse('', `expected at most ${DEPTH_MAX} levels of nesting`);
  }
  const compilation: Compilation = { nodes: new Map(), references: [] };
  const root = compileNode(compilation, schema, '');
  linkReferences(compilation.nodes, compilation.references);
  return (value) => validate(root.check, value);
}

function validate(check: Check, value: unknown): readonly Complaint[] {
  if (isDeeperThan(DEPTH_MAX, value)) {
    return [limit(`must not be nested in more than ${DEPTH_MAX} levels`)];
  }
  const complaints: Complaint[] = [];
  const effort = { stepsLeft: STEPS_MAX };
  check(value, { pointer: '', complaints, complaintsMax: COMPLAINTS_MAX, effort });
  // Once given up, complaints mean nothing: to `not`, one that was never reached is a match.
  return effort.stepsLeft > 0 ? complaints : [limit('is too complex to be checked')];
}

function limit(message: string): Complaint {
  return { pointer: '', keyword: 'limit', message };
}

/** A document being compiled: its schemas by JSON pointer, and the references between them. */
interface Compilation {
  readonly nodes: Map<string, SchemaNode>;
  readonly references: Reference[];
}

function compileNode(compilation: Compilation, schema: unknown, location: string): SchemaNode {
  if (!isObject(schema)) {
    refuse(location, 'expected a schema, which is an object');
  }
  const node = createNode(location);
  compilation.nodes.set(location, node);
  if (Object.hasOwn(schema, '$ref')) {
    const target = readReference(schema['$ref'], extendPointer(location, '$ref'));
    compilation.references.push({ from: node, target });
  }
  for (const keyword of keywordsOf(schema)) {
    const check = compileKeyword(compilation, node, schema, keyword);
    if (check) {
      node.rules.push(check);
    }
  }
  return node;
}

/** A node without rules, which accepts everything. */
function createNode(location: string): SchemaNode {
  const rules: Check[] = [];
  const check: Check = (value, place) => {
    const { complaints, complaintsMax, effort } = place;
    if (complaints.length === complaintsMax || effort.stepsLeft === 0) {
      return;
    }
    effort.stepsLeft -= 1;
    for (const rule of rules) {
      rule(value, place);
    }
  };
  return { location, check, rules, onSameValue: [] };
}

/** The keywords to compile. Draft 4 ignores all those beside `$ref`, even unknown ones. */
function keywordsOf(schema: JsonObject): readonly string[] {
  const all = Object.keys(schema);
  return all.includes('$ref') ? all.filter((keyword) => keyword === 'definitions') : all;
}

function compileKeyword(
  compilation: Compilation,
  node: SchemaNode,
  schema: JsonObject,
  keyword: string,
): Check | undefined {
  const location = extendPointer(node.location, keyword);
  const compile = keywords.get(keyword) ?? refuse(location, 'this keyword is not implemented');
  const compileInside: CompileInside = (inner, step) => {
    const at = step === undefined ? location : extendPointer(location, step);
    const child = compileNode(compilation, inner, at);
    if (!keywordsOnParts.has(keyword)) {
      node.onSameValue.push(child);
    }
    return child.check;
  };
  return compile({ keyword, value: schema[keyword], location, schema }, compileInside);
}
