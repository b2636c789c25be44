/**
 * What modules import. Their text is searched as it is, comments and strings included, so that nothing hides in what a search
 * takes for one of them; a comment that looks like an import is named as well.
 */
import { posix } from 'node:path';

/** @typedef {import('./files.js').File} File */

/** @typedef {{ readonly specifier: string, readonly names: readonly string[] }} Import - `*` stands for the whole module. */

/** A keyword never stands right behind a quotation mark, a dot or a dash; a word in a text may. */
const IMPORT = /(?<!["'`.\w-])(?:import\b|export\b(?=[\s\w$,{}*]*\bfrom\b))\s*(?:([\w$\s,{}*]*?)\s*\bfrom\s*)?(?:"([^"\n]+)"|'([^'\n]+)')/g;
const DYNAMIC_IMPORT = /\bimport\s*\(\s*([^)]*?)\s*\)/g;
const OTHER_WAYS = /\brequire\s*\(|\bcreateRequire\b|\bgetBuiltinModule\b|\bimport\.meta\.resolve\b|\bprocess\.(?:binding|_linkedBinding|dlopen)\b/g;

/**
 * @param {File} file
 * @returns {Import[]} An import whose operand is no plain text has that operand, in brackets, for a specifier.
 */
export function importsOf({ content }) {
  const text = content.toString('utf8');
  const declared = Array.from(text.matchAll(IMPORT), ([, clause = '', double, single]) => ({ specifier: double ?? single ?? '', names: toNames(clause) }));
  const dynamic = Array.from(text.matchAll(DYNAMIC_IMPORT), ([, operand = '']) => ({ specifier: toSpecifier(operand), names: ['*'] }));
  return [...declared, ...dynamic];
}

/** @param {string} operand - Of a dynamic import. */
function toSpecifier(operand) {
  return /^(["'])([^"'`\\]+)\1$/.exec(operand)?.[2] ?? `(${operand})`;
}

/** @param {string} clause - What stands between `import` and `from`: `cluster, { Worker as Process }`. */
function toNames(clause) {
  const [, outer = '', inner = ''] = /^([^{]*)(?:\{([^}]*)\})?/.exec(clause) ?? [];
  const named = inner.split(',').map((name) => name.trim().split(/\s+as\s+/)[0] ?? '');
  const whole = outer.replaceAll(',', ' ').trim() === '' ? [] : ['*']; // a default or a namespace gives everything
  return [...whole, ...named.filter((name) => name !== '')];
}

/**
 * @param {readonly File[]} files
 * @param {{ readonly allowsNode: boolean }} options - Browsers have no `node:`.
 * @returns {string[]} Imports that lead neither to a file among these nor to Node.js.
 */
export function findImportFaults(files, { allowsNode }) {
  const names = new Set(files.map(({ name }) => name));
  const faults = [];
  for (const file of files.filter(({ name }) => name.endsWith('.js'))) {
    for (const { specifier } of importsOf(file)) {
      const isFile = /^\.\.?\//.test(specifier) && names.has(posix.join(posix.dirname(file.name), specifier));
      if (!isFile && !(allowsNode && specifier.startsWith('node:'))) {
        faults.push(`${file.name} imports ${specifier}`);
      }
    }
    for (const [word] of file.content.toString('utf8').matchAll(OTHER_WAYS)) {
      faults.push(`${file.name} has ${word}`);
    }
  }
  return faults;
}

/** @param {readonly File[]} files @returns {string[]} The modules of Node.js that they import. */
export function nodeModulesOf(files) {
  const specifiers = files.flatMap((file) => importsOf(file).map(({ specifier }) => specifier));
  return [...new Set(specifiers.filter((specifier) => specifier.startsWith('node:')))].sort();
}
