/**
 * Keywords that demand nothing of a value (draft 4 core §6 and §7, validation §6). Their operands
 * are checked like all others, so that no schema says what will not happen.
 */

import type { Keywords } from '../keyword.ts';
import { readOperand, refuse, STRING, type Operand } from '../operand.ts';

export const annotations = {
  title: compileText,
  description: compileText,
  $comment: compileText,
  default: () => undefined,
  $schema: compileDialect,
  id: compileId,
} satisfies Keywords;

const DRAFT_4 = 'http://json-schema.org/draft-04/schema';

function compileText(operand: Operand): undefined {
  readOperand(operand, STRING);
}

/** A schema written for another draft would mean something else here. */
function compileDialect(operand: Operand): undefined {
  if (operand.value !== DRAFT_4 && operand.value !== `${DRAFT_4}#`) {
    refuse(operand.location, `expected "${DRAFT_4}#"`);
  }
}

/** At the root it has no effect, because all references are pointers into the same document. */
function compileId(operand: Operand): undefined {
  readOperand(operand, STRING);
  if (operand.location !== '/id') {
    refuse(operand.location, '"id" is implemented at the root only: here it rebases references');
  }
}
