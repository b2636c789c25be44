/**
 * Reads bytes as JSON (RFC 8259).
 *
 * Stricter than `JSON.parse`: UTF-8 must be valid (§8.1), nesting is limited before any recursion, and
 * no text may have half of a surrogate pair, which escapes can produce: databases and hashes cannot tell such
 * halves apart. `JSON.parse` gives the position of only some mistakes, and for most of them it quotes the
 * text around them, which may hold a password. So this file finds the position itself.
 */
import { isUtf8 } from 'node:buffer';
import { isAscii, normalizeText } from './text.ts';

/** `reason` completes a sentence for the caller. It never quotes the body, which may hold a password. */
type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly reason: string };

const JSON_DEPTH_MAX = 64;

export function parseJson(bytes: Buffer): ParsedJson {
  if (!isUtf8(bytes)) {
    return { kind: 'malformed', reason: 'it is not valid UTF-8' };
  }
  const text = bytes.toString('utf8');
  if (isDeeperThan(text, JSON_DEPTH_MAX)) {
    return { kind: 'malformed', reason: `it is nested deeper than ${JSON_DEPTH_MAX} levels` };
  }
  try {
    return { kind: 'parsed', value: JSON.parse(text, isPlain(text) ? undefined : normalizeMember) };
  } catch (error) {
    const reason = error instanceof UnusableTextError ? error.message : describeMistake(text);
    return { kind: 'malformed', reason };
  }
}

/** True if no member can need normalising: most bodies are ASCII without escapes. */
function isPlain(text: string): boolean {
  return isAscii(text) && !text.includes('\\');
}

function describeMistake(text: string): string {
  const { line, column } = findJsonMistake(text);
  return `it is not well-formed JSON at line ${line}, column ${column}`;
}

class UnusableTextError extends Error {}

function normalizeMember(key: string, value: unknown): unknown {
  const normalized = typeof value === 'string' ? normalizeText(value) : value;
  if (normalizeText(key) === undefined || (normalized === undefined && value !== undefined)) {
    throw new UnusableTextError(
      'it contains half of a surrogate pair, or more than 30 combining marks in a row',
    );
  }
  return normalized;
}

/**
 * Counts brackets outside strings in one scan. The result for text that is not JSON is arbitrary; parsing
 * fails afterwards.
 */
function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') {
        index += 1; // the escaped character
      } else if (character === '"') {
        isInString = false;
      }
    } else if (character === '"') {
      isInString = true;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > depthMax) {
        return true;
      }
    } else if (character === '}' || character === ']') {
      depth -= 1;
    }
  }
  return false;
}

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
