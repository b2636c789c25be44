/**
 * Finds the imports of modules. Comments and strings are searched like code, so that no import can hide in
 * them. In return, a comment that looks like an import is reported as well.
 */
import { posix } from 'node:path';

/** @typedef {import('./files.js').File} File */

/** @typedef {{ specifier: string, names: readonly string[] }} Import - The name `*` is the whole module. */

/**
 * Matches the keywords `import`, and `export` with `from`. After a quotation mark, a dot or a dash, these
 * words are no keywords.
 */
const KEYWORD = /(?<!["'`.\w-])(?:import\b|export\b(?=[\s\w$,{}*]*\bfrom\b))\s*/;
const CLAUSE = /(?:([\w$\s,{}*]*?)\s*\bfrom\s*)?(?:"([^"\n]+)"|'([^'\n]+)')/;
const IMPORT = new RegExp(KEYWORD.source + CLAUSE.source, 'g');
/** `process.getBuiltinModule`, with the names that the code takes from the module. */
const BUILT_IN = /(?:\{([\w$\s,]*)\}\s*=\s*)?\bprocess\.getBuiltinModule\('(node:[\w/]+)'\)/g;
const DYNAMIC_IMPORT = /\bimport\s*\(\s*([^)]*?)\s*\)/g;
const OTHER_WAYS = new RegExp(
  [
    /\brequire\s*\(|\bcreateRequire\b|\bimport\.meta\.resolve\b/,
    /(?<!\bprocess\.)getBuiltinModule\b|\bgetBuiltinModule\b(?!\('node:[\w/]+'\))/,
    /\bprocess\.(?:binding|_linkedBinding|dlopen)\b/,
  ].map(({ source }) => source).join('|'),
  'g',
);

/**
 * @param {File} file
 * @returns {Import[]} A dynamic import of anything but plain text has its operand, in brackets, as specifier.
 */
export function importsOf({ content }) {
  const text = content.toString('utf8');
  return [
    ...Array.from(text.matchAll(IMPORT), ([, clause = '', double, single]) => ({
      specifier: double ?? single ?? '',
      names: toNames(clause),
    })),
    ...Array.from(text.matchAll(BUILT_IN), ([, names, specifier = '']) => ({
      specifier, names: names === undefined ? ['*'] : toNames(`{${names}}`),
    })),
    ...Array.from(text.matchAll(DYNAMIC_IMPORT), ([, operand = '']) => ({
      specifier: /^(["'])([^"'`\\]+)\1$/.exec(operand)?.[2] ?? `(${operand})`,
      names: ['*'],
    })),
  ];
}

/** @param {string} clause - The text between `import` and `from`: `cluster, { Worker as Process }`. */
function toNames(clause) {
  const [, outer = '', inner = ''] = /^([^{]*)(?:\{([^}]*)\})?/.exec(clause) ?? [];
  const named = inner.split(',').map((name) => name.trim().split(/\s+as\s+/)[0] ?? '');
  const whole = /[^\s,]/.test(outer) ? ['*'] : []; // a default or namespace import gives everything
  return [...whole, ...named.filter((name) => name !== '')];
}

/**
 * @param {readonly File[]} files
 * @param {{ readonly allowsNode: boolean }} options - Browsers have no `node:`.
 * @returns {string[]} Imports of anything but `files` and modules of Node.js.
 */
export function findImportFaults(files, { allowsNode }) {
  const names = new Set(files.map(({ name }) => name));
  return files.filter(({ name }) => name.endsWith('.js')).flatMap((file) => {
    const isAllowed = (/** @type {string} */ specifier) =>
      (/^\.\.?\//.test(specifier) && names.has(posix.join(posix.dirname(file.name), specifier))) ||
      (allowsNode && specifier.startsWith('node:'));
    const strangers = importsOf(file).filter(({ specifier }) => !isAllowed(specifier));
    return [
      ...strangers.map(({ specifier }) => `${file.name} imports ${specifier}`),
      ...Array.from(String(file.content).matchAll(OTHER_WAYS), ([word]) => `${file.name} has ${word}`),
    ];
  });
}

/** @param {readonly File[]} files @returns {string[]} The modules of Node.js that they import. */
export function nodeModulesOf(files) {
  const specifiers = files.flatMap((file) => importsOf(file).map(({ specifier }) => specifier));
  return [...new Set(specifiers.filter((specifier) => specifier.startsWith('node:')))].sort();
}
