/**
 * Finds where a text stops being JSON (RFC 8259). `JSON.parse` gives the position of only some mistakes. For
 * most mistakes it quotes the text around them, which may hold a password.
 */

const SPACE = /[ \t\r\n]*/y;

/** A string, number or word. Strings match one character at a time, so a match takes at most one pass. */
const SCALAR = new RegExp(
  '"(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*"' +
    '|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null',
  'y',
);

/** The tokens that may come next. */
type Expected = 'value' | 'first-item' | 'first-key' | 'key' | 'colon' | 'separator';

/**
 * @param text - Text that is not well-formed JSON.
 * @returns Line and column, from 1, of the first unexpected token.
 */
export function findJsonMistake(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, findMistakeIndex(text));
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

function findMistakeIndex(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let index = 0;
  for (;;) {
    index = skip(SPACE, text, index);
    const character = text[index];
    const isKey: boolean = expected === 'first-key' || expected === 'key';
    const isValue: boolean = expected === 'value' || expected === 'first-item';
    if (isValue && (character === '{' || character === '[')) {
      open.push(character);
      expected = character === '{' ? 'first-key' : 'first-item';
      index += 1;
    } else if (isClosing(character, expected, open.at(-1))) {
      open.pop();
      expected = 'separator';
      index += 1;
    } else if (expected === 'colon' && character === ':') {
      expected = 'value';
      index += 1;
    } else if (expected === 'separator' && character === ',' && open.length > 0) {
      expected = open.at(-1) === '{' ? 'key' : 'value';
      index += 1;
    } else {
      const end = isValue || (isKey && character === '"') ? skip(SCALAR, text, index) : index;
      if (end === index) {
        return index;
      }
      expected = isKey ? 'colon' : 'separator';
      index = end;
    }
  }
}

function isClosing(character: string | undefined, expected: Expected, innermost?: string): boolean {
  return innermost === '{'
    ? character === '}' && (expected === 'first-key' || expected === 'separator')
    : innermost === '[' && character === ']' && (expected === 'first-item' || expected === 'separator');
}

/** @returns The index after the match, or the same index without a match. */
function skip(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : index;
}
