/** Each function must fit on a screen. The lines of nested functions are not counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFolder } from './support/project.ts';

const LINES_MAX = 60;

/** Matches a line that ends with a brace, which opens a function or the value of a property. */
const OPENING = new RegExp([
  /\bfunction\b.*\{$/, /=> \(?\{$/, /^ *\).*\{$/,
  /^ *'?[\w-]+'?: (?:\w+\()?\{$/,
  /^ *(?!(?:if|for|while|switch|catch|else|do|try|return)\b)(?:async |static |get |set )*[\w#$*]+\(.*\{$/,
].map(({ source }) => source).join('|'));
/** Matches lines that only look like the end of a parameter list. */
const NO_FUNCTION = /^ *\}? ?(?:if|for|while|switch|catch|else|do|try)\b|^ *\) (?:of|in) |^ *\)\) \{$/;

interface Piece {
  readonly line: number;
  readonly indent: number;
  own: number;
}

function measurePieces(text: string): readonly Piece[] {
  const open: Piece[] = [];
  const all: Piece[] = [];
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    const indent = line.search(/\S/);
    const inner = open.at(-1);
    if (inner !== undefined) {
      inner.own += 1;
      if (indent === inner.indent && /^ *[})]/.test(line)) {
        open.pop();
      }
    }
    // The line `) {` ends a condition or a parameter list. The first line of the statement tells which one.
    const head = /^ *\) \{$/.test(line)
      ? lines.slice(0, index).findLast((other) => other.search(/\S/) === indent) ?? ''
      : line;
    if (OPENING.test(line) && !NO_FUNCTION.test(head)) {
      const piece = { line: index + 1, indent, own: 0 };
      open.push(piece);
      all.push(piece);
    }
  });
  return all;
}

for (const [title, text, expected] of [
  ['lines of an inner function do not count for the function around it',
    'function f() {\n  const g = () => {\n    a();\n    b();\n  };\n  c();\n}\n', [[1, 3], [2, 3]]],
  ['a head of several lines opens a method, but not if it is a condition',
    '  a(\n    b,\n  ) {\n    if (\n      c\n    ) {\n      d();\n    }\n  },\n', [[3, 6]]],
] as const) {
  test(title, () => assert.deepEqual(measurePieces(text).map(({ line, own }) => [line, own]), expected));
}

test(`no function has more than ${LINES_MAX} lines of its own, unless it is named here`, () => {
  const files = ['src', 'static', 'scripts'].flatMap((folder) => readFolder(folder, /\.(ts|js)$/));
  const long = files.flatMap(({ file, text }) => measurePieces(text)
    .filter(({ own }) => own > LINES_MAX)
    .map(({ line }) => {
      const above = text.split('\n').slice(0, line).join('\n').matchAll(/\bfunction\*? (\w+)/g);
      return `${file} ${[...above].at(-1)?.[1] ?? `line ${line}`}`;
    }));
  assert.deepEqual(long, ['static/console/users.js toContent']); // a long function that describes one screen
});
