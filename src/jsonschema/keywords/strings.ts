/** Keywords for strings (draft 4 validation §5.2 and §7). Every other value satisfies them. */

import type { Check } from '../check.ts';
import { formats } from '../formats.ts';
import { ownMember } from '../json.ts';
import { demand, quantity, quote, titleOf, type Keywords } from '../keyword.ts';
import { readOperand, readPattern, refuse, SIZE, STRING, type Operand } from '../operand.ts';

export const stringKeywords = {
  minLength: compileMinLength,
  maxLength: compileMaxLength,
  pattern: compilePattern,
  format: compileFormat,
} satisfies Keywords;

function compileMinLength(operand: Operand): Check {
  const size = readOperand(operand, SIZE);
  const message = `must be at least ${quantity(size, 'character')} long`;
  return demandOfString(operand, message, (text) => countCharacters(text) >= size);
}

function compileMaxLength(operand: Operand): Check {
  const size = readOperand(operand, SIZE);
  const message = `must be at most ${quantity(size, 'character')} long`;
  return demandOfString(operand, message, (text) => countCharacters(text) <= size);
}

/**
 * A pattern is a program that the author of the schema runs on the text of a stranger. Text that
 * `maxLength` refuses anyway is not matched, so that the author can bound the time by the length.
 */
function compilePattern(operand: Operand): Check {
  const pattern = readPattern(readOperand(operand, STRING), operand.location);
  const length = ownMember(operand.schema, 'maxLength');
  const lengthMax = typeof length === 'number' ? length : Infinity;
  const title = titleOf(operand.schema) ?? `text that matches ${quote(pattern.source)}`;
  return demandOfString(
    operand,
    `must be ${title}`,
    (text) => countCharacters(text) > lengthMax || pattern.test(text),
  );
}

function compileFormat(operand: Operand): Check {
  const format =
    formats.get(readOperand(operand, STRING)) ??
    refuse(operand.location, `expected one of the formats ${[...formats.keys()].join(', ')}`);
  return demandOfString(operand, `must be ${format.name}`, format.matches);
}

/** Draft 4 counts Unicode code points, so that an emoji is one character and not two. */
function countCharacters(text: string): number {
  return Array.from(text).length;
}

function demandOfString(
  operand: Operand,
  message: string,
  holds: (text: string) => boolean,
): Check {
  return demand(operand, message, (value) => typeof value !== 'string' || holds(value));
}
