/**
 * References from one schema to another in the same document.
 *
 * A reference is `#` followed by a JSON pointer (RFC 6901) in the form of a URI fragment. It must
 * lead to a place where the keywords of draft 4 put a schema; other places hold data, such as the
 * members of `enum`. Other documents, and names given by `id`, are left out: they are refused.
 */

import type { Check } from './check.ts';
import { refuse } from './operand.ts';

/** A compiled schema, in which references are still to be linked. */
export interface SchemaNode {
  readonly location: string;
  /** Stays the same function while `rules` are added, so it can be called by any other node. */
  readonly check: Check;
  readonly rules: Check[];
  /** The schemas that this one applies to the same value, not to a part of it. */
  readonly onSameValue: SchemaNode[];
}

/** Where a schema refers to. */
export interface Reference {
  readonly from: SchemaNode;
  /** The JSON pointer of the schema that takes its place. */
  readonly target: string;
}

/**
 * How many schemas may apply to one value inside one another. Bounds the stack: with values of at
 * most 64 levels (compile.ts) no more than 64 × 16 schemas are ever under way.
 */
const CHAIN_LENGTH_MAX = 16;

/** Reads `$ref`: the JSON pointer to a schema in this document. Refuses all other references. */
export function readReference(value: unknown, location: string): string {
  if (typeof value !== 'string' || !/^#(\/|$)/.test(value)) {
    refuse(location, 'expected # and a JSON pointer; no other document, and no name set by "id"');
  }
  try {
    return decodeURIComponent(value.slice(1));
  } catch {
    return refuse(location, 'expected % to be followed by two hexadecimal digits of UTF-8');
  }
}

/** Puts the schemas referred to into effect, once all are compiled. */
export function linkReferences(
  nodes: ReadonlyMap<string, SchemaNode>,
  references: readonly Reference[],
): void {
  for (const { from, target } of references) {
    const node =
      nodes.get(target) ?? refuse(`${from.location}/$ref`, `there is no schema at "#${target}"`);
    from.rules.push(node.check);
    from.onSameValue.push(node);
  }
  assertChainsEnd([...nodes.values()]);
}

/**
 * Refuses schemas that lead back to themselves without stepping into the value, because checking
 * would never end, and chains that are too long. Each round ends the chains that are one longer
 * than those of the round before; what the last round leaves never ends, or too late.
 */
function assertChainsEnd(nodes: readonly SchemaNode[]): void {
  const ended = new Set<SchemaNode>();
  let open = nodes;
  for (let length = 1; length <= CHAIN_LENGTH_MAX; length += 1) {
    const ending = open.filter((node) => node.onSameValue.every((next) => ended.has(next)));
    ending.forEach((node) => ended.add(node));
    open = open.filter((node) => !ended.has(node));
  }
  for (const { location } of open) {
    const tooFar = `to itself, or to more than ${CHAIN_LENGTH_MAX} schemas in a row`;
    refuse(location, `leads ${tooFar}, without stepping into the value`);
  }
}
