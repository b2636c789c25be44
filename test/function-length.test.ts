/** Tests that a function fits on a screen. The lines of inner functions do not count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFolder } from './support/project.ts';

const LINES_MAX = 60;

/**
 * Matches a line that begins a function or a table entry. A function may begin with a declaration, a method,
 * an arrow, or the end of a long parameter list.
 */
const OPENING = new RegExp([
  /\bfunction\b.*\{$/, /=> \(?\{$/, /^ *\).*\{$/,
  /^ *'?[\w-]+'?: (?:\w+\()?\{$/,
  /^ *(?!(?:if|for|while|switch|catch|else|do|try|return)\b)(?:async |static |get |set )*[\w#$*]+\(.*\{$/,
].map(({ source }) => source).join('|'));
/** Matches lines that only look like the end of a parameter list. */
const NO_FUNCTION =
  /^ *\}? ?(?:if|for|while|switch|catch|else|do|try)\b|^ *\) (?:of|in) |^ *\)\) \{$/;

interface Piece {
  readonly line: number;
  readonly indent: number;
  own: number;
}

/**
 * Finds functions by their indentation. The lines of an inner function do not count for the outer function.
 */
function measurePieces(text: string): readonly Piece[] {
  const open: Piece[] = [];
  const all: Piece[] = [];
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    const indent = line.search(/\S/);
    const inner = open.at(-1);
    if (inner !== undefined) {
      inner.own += 1;
    }
    if (inner !== undefined && indent === inner.indent && /^ *[})]/.test(line)) {
      open.pop();
    }
    const head = /^ *\) \{$/.test(line) ? findHead(lines, index, indent) : line;
    if (OPENING.test(line) && !NO_FUNCTION.test(head)) {
      const piece = { line: index + 1, indent, own: 0 };
      open.push(piece);
      all.push(piece);
    }
  });
  return all;
}

/** Finds the first line of a function head or a condition that ends in `) {`. */
function findHead(lines: readonly string[], end: number, indent: number): string {
  return lines.slice(0, end).findLast((line) => line.search(/\S/) === indent) ?? '';
}

test('lines of an inner function do not count for the function around it', () => {
  const text = 'function f() {\n  const g = () => {\n    a();\n    b();\n  };\n  c();\n}\n';
  assert.deepEqual(measurePieces(text).map(({ line, own }) => [line, own]), [[1, 3], [2, 3]]);
});

test('a head of several lines opens a method, but not if it is a condition', () => {
  const text = '  a(\n    b,\n  ) {\n    if (\n      c\n    ) {\n      d();\n    }\n  },\n';
  assert.deepEqual(measurePieces(text).map(({ line, own }) => [line, own]), [[3, 6]]);
});

/** The functions that may be longer, each with the reason. */
const LONGER: Readonly<Record<string, string>> = {
  'static/console/users.js toContent': 'one screen',
};

test(`no function that is one piece has more than ${LINES_MAX} lines, unless it is named here`, () => {
  const files = ['src', 'static', 'scripts'].flatMap((folder) => readFolder(folder, /\.(ts|js)$/));
  const long = files.flatMap(({ file, text }) => measurePieces(text)
    .filter(({ own }) => own > LINES_MAX)
    .map(({ line }) => `${file} ${nameAbove(text, line)}`));
  assert.deepEqual(long.toSorted(), Object.keys(LONGER).toSorted());
});

/** Returns the name of the function that begins in a line, or in the nearest line above. */
function nameAbove(text: string, line: number): string {
  const lines = text.split('\n').slice(0, line).reverse();
  const name = lines.map((one) => /\bfunction\*? (\w+)/.exec(one)?.[1]).find((found) => found !== undefined);
  return name ?? `line ${line}`;
}
