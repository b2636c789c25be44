/** Keywords for arrays (draft 4 validation §5.3). Every other value satisfies them. */

import { partOf, type Check } from '../check.ts';
import { hasDuplicates, itemsOf, ownMember } from '../json.ts';
import { demand, quantity, type CompileInside, type Keywords } from '../keyword.ts';
import { BOOLEAN, readOperand, SIZE, type Operand } from '../operand.ts';
import { compileAdditional } from './nested.ts';

export const arrayKeywords = {
  items: compileItems,
  additionalItems: compileAdditionalItems,
  minItems: compileMinItems,
  maxItems: compileMaxItems,
  uniqueItems: compileUniqueItems,
} satisfies Keywords;

/** One schema for all items, or a list with one for each of the first items. */
function compileItems(operand: Operand, compile: CompileInside): Check {
  if (!Array.isArray(operand.value)) {
    return checkItemsFrom(0, compile(operand.value));
  }
  const checks = operand.value.map((schema, index) => compile(schema, index));
  return (value, place) => {
    for (const [index, item] of itemsOf(value).entries()) {
      checks[index]?.(item, partOf(place, index));
    }
  };
}

/** Governs the items beyond a list in `items`; without such a list there are none. */
function compileAdditionalItems(operand: Operand, compile: CompileInside): Check | undefined {
  const check = compileAdditional(operand, compile);
  const described = ownMember(operand.schema, 'items');
  return check && Array.isArray(described) ? checkItemsFrom(described.length, check) : undefined;
}

function compileMinItems(operand: Operand): Check {
  const size = readOperand(operand, SIZE);
  const message = `must have at least ${quantity(size, 'item')}`;
  return demandOfArray(operand, message, (items) => items.length >= size);
}

function compileMaxItems(operand: Operand): Check {
  const size = readOperand(operand, SIZE);
  const message = `must have at most ${quantity(size, 'item')}`;
  return demandOfArray(operand, message, (items) => items.length <= size);
}

function compileUniqueItems(operand: Operand): Check | undefined {
  return readOperand(operand, BOOLEAN)
    ? demandOfArray(operand, 'must not have the same item twice', (items) => !hasDuplicates(items))
    : undefined;
}

function checkItemsFrom(first: number, check: Check): Check {
  return (value, place) => {
    for (const [index, item] of itemsOf(value).entries()) {
      if (index >= first) {
        check(item, partOf(place, index));
      }
    }
  };
}

function demandOfArray(
  operand: Operand,
  message: string,
  holds: (items: readonly unknown[]) => boolean,
): Check {
  return demand(operand, message, (value) => !Array.isArray(value) || holds(value));
}
