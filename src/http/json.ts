/**
 * Reads bytes as JSON (RFC 8259).
 *
 * Stricter than `JSON.parse`: UTF-8 must be valid (§8.1), nesting is limited, and no text may have half of a
 * surrogate pair, which escapes can produce: databases and hashes cannot tell such halves apart. `JSON.parse`
 * gives the position of only some mistakes, and for most of them it quotes the text around them, which may
 * hold a password. So this file finds the position itself.
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
  try {
    const value: unknown = JSON.parse(text);
    if (isDeeperThan(value, JSON_DEPTH_MAX)) {
      return { kind: 'malformed', reason: `it is nested deeper than ${JSON_DEPTH_MAX} levels` };
    }
    return { kind: 'parsed', value: isPlain(text) ? value : JSON.parse(text, normalizeMember) };
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

/** `JSON.parse` copes with any depth. Its second call and the rest of the service use recursion. */
function isDeeperThan(value: unknown, depthMax: number): boolean {
  return typeof value === 'object' && value !== null
    && (depthMax === 0 || Object.values(value).some((member) => isDeeperThan(member, depthMax - 1)));
}

const SPACE = /[ \t\r\n]*/y;

/** A string matches one character at a time, so a match takes at most one pass. */
const TOKEN = new RegExp(
  '[{}\\[\\]:,]|"(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*"' +
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
  const open: string[] = [];
  let expected: Expected | undefined = 'value';
  let index = 0;
  for (;;) {
    index += matchAt(SPACE, text, index).length;
    const token = matchAt(TOKEN, text, index);
    expected = expectAfter(token.charAt(0), expected, open);
    if (expected === undefined) {
      return index;
    }
    index += token.length;
  }
}

/**
 * @param start - The first character of a token; empty if there is no token.
 * @param open - The brackets that are open, which this function changes.
 * @returns The tokens that may come after this one; `undefined` if this one may not come.
 */
function expectAfter(start: string, expected: Expected, open: string[]): Expected | undefined {
  const isValue = expected === 'value' || expected === 'first-item';
  const isKey = expected === 'key' || expected === 'first-key';
  switch (start) {
    case '{':
    case '[':
      open.push(start);
      return isValue ? (start === '{' ? 'first-key' : 'first-item') : undefined;
    case '}':
    case ']': {
      const [opening, first] = start === '}' ? ['{', 'first-key'] : ['[', 'first-item'];
      const mayClose = expected === 'separator' || expected === first;
      return mayClose && open.pop() === opening ? 'separator' : undefined;
    }
    case ':':
      return expected === 'colon' ? 'value' : undefined;
    case ',':
      return expected !== 'separator' || open.length === 0
        ? undefined
        : open.at(-1) === '{' ? 'key' : 'value';
    case '"':
      return isKey ? 'colon' : isValue ? 'separator' : undefined;
    default:
      return isValue && start !== '' ? 'separator' : undefined;
  }
}

/** @returns The match that begins at the index; empty without a match. */
function matchAt(pattern: RegExp, text: string, index: number): string {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0] ?? '';
}
