/** Operands that consist of schemas, in the three shapes that draft 4 has besides a single schema. */

import { complain, type Check } from '../check.ts';
import type { CompileInside } from '../keyword.ts';
import { LIST, OBJECT, readOperand, type Operand } from '../operand.ts';

/** A list of schemas. */
export function compileList(operand: Operand, compile: CompileInside): readonly Check[] {
  return readOperand(operand, LIST).map((schema, index) => compile(schema, index));
}

/** An object of schemas by name. */
export function compileByName(
  operand: Operand,
  compile: CompileInside,
): readonly (readonly [string, Check])[] {
  const schemas = Object.entries(readOperand(operand, OBJECT));
  return schemas.map(([name, schema]) => [name, compile(schema, name)] as const);
}

/** A schema for whatever the neighbours do not describe, true to allow it or false to forbid it. */
export function compileAdditional(operand: Operand, compile: CompileInside): Check | undefined {
  const { keyword, value: schema } = operand;
  if (schema === true) {
    return undefined;
  }
  if (schema === false) {
    return (_value, place) => complain(place, { keyword, message: 'is not allowed' });
  }
  return compile(schema);
}
