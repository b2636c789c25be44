/**
 * What the compilers of all keywords share: their shape, and the wording of complaints. Whatever a
 * complaint quotes comes from the schema, never from the value, which may be a password.
 */

import { complain, type Check } from './check.ts';
import { isObject, ownMember } from './json.ts';
import type { Operand } from './operand.ts';

/** Compiles a keyword to its check, or to none when it demands nothing by itself. */
export type KeywordCompiler = (operand: Operand, compile: CompileInside) => Check | undefined;

/** Keyword → how to compile it. */
export type Keywords = { readonly [keyword: string]: KeywordCompiler };

/** Compiles a schema in an operand: the operand itself, or the one at a step inside it. */
export type CompileInside = (schema: unknown, step?: string | number) => Check;

/** Keeps messages readable and small. */
const QUOTE_LENGTH_MAX = 200;

/** The check of a keyword that judges a value by itself. The message says what it demands. */
export function demand(
  { keyword }: Operand,
  message: string,
  holds: (value: unknown) => boolean,
): Check {
  return (value, place) => {
    if (!holds(value)) {
      complain(place, { keyword, message });
    }
  };
}

/** What the values of a schema are, in the words of its author, if there are any. */
export function titleOf(schema: unknown): string | undefined {
  const title = isObject(schema) ? ownMember(schema, 'title') : undefined;
  return typeof title === 'string' && title !== '' ? title : undefined;
}

/** "1 item", "2 items". */
export function quantity(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A text from the schema, cut when it is too long. */
export function quote(text: string): string {
  return text.length > QUOTE_LENGTH_MAX ? `${text.slice(0, QUOTE_LENGTH_MAX)}…` : text;
}
