/** Keywords for numbers (draft 4 validation §5.1). Every other value satisfies them. */

import type { Check } from '../check.ts';
import { isMultipleOf } from '../decimal.ts';
import { ownMember } from '../json.ts';
import { demand, type Keywords } from '../keyword.ts';
import {
  BOOLEAN,
  NUMBER,
  POSITIVE_NUMBER,
  readOperand,
  refuse,
  type Operand,
} from '../operand.ts';

export const numberKeywords = {
  multipleOf: compileMultipleOf,
  minimum: compileMinimum,
  maximum: compileMaximum,
  exclusiveMinimum: (operand) => compileExclusive(operand, 'minimum'),
  exclusiveMaximum: (operand) => compileExclusive(operand, 'maximum'),
} satisfies Keywords;

function compileMultipleOf(operand: Operand): Check {
  const divisor = readOperand(operand, POSITIVE_NUMBER);
  return demandOfNumber(operand, `must be a multiple of ${divisor}`, (value) =>
    isMultipleOf(value, divisor),
  );
}

function compileMinimum(operand: Operand): Check {
  const minimum = readOperand(operand, NUMBER);
  return ownMember(operand.schema, 'exclusiveMinimum') === true
    ? demandOfNumber(operand, `must be greater than ${minimum}`, (value) => value > minimum)
    : demandOfNumber(operand, `must be at least ${minimum}`, (value) => value >= minimum);
}

function compileMaximum(operand: Operand): Check {
  const maximum = readOperand(operand, NUMBER);
  return ownMember(operand.schema, 'exclusiveMaximum') === true
    ? demandOfNumber(operand, `must be less than ${maximum}`, (value) => value < maximum)
    : demandOfNumber(operand, `must be at most ${maximum}`, (value) => value <= maximum);
}

/** In draft 4 it is no bound of its own, but modifies the neighbour, which reads it. */
function compileExclusive(operand: Operand, neighbour: 'minimum' | 'maximum'): undefined {
  readOperand(operand, BOOLEAN);
  if (!Object.hasOwn(operand.schema, neighbour)) {
    refuse(operand.location, `expected "${neighbour}" beside it`);
  }
}

function demandOfNumber(
  operand: Operand,
  message: string,
  holds: (value: number) => boolean,
): Check {
  return demand(operand, message, (value) => typeof value !== 'number' || holds(value));
}
