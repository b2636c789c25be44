/**
 * Comments and strings are searched like code, so no import can hide in text that only looks like a comment.
 * A comment that looks like an import is reported as an import.
 */
import { posix } from 'node:path';
import type { File } from './files.ts';

interface Import {
  readonly specifier: string;
  /** The name `*` means the whole module. */
  readonly names: readonly string[];
}

/** Matches `import` and `export … from`, but not after a quotation mark, a dot or a hyphen. */
const KEYWORD = /(?<!["'`.\w-])(?:import\b|export\b(?=[\s\w$,{}*]*\bfrom\b))\s*/;
const CLAUSE = /(?:([\w$\s,{}*]*?)\s*\bfrom\s*)?(?:"([^"\n]+)"|'([^'\n]+)')/;
const IMPORT = new RegExp(KEYWORD.source + CLAUSE.source, 'g');
/** Matches a call of `process.getBuiltinModule`, with the names that the code takes from the module. */
const BUILT_IN =
  /(?:\{([\w$\s,]*)\}\s*=\s*)?\bprocess\.getBuiltinModule\('(node:[\w/]+)'\)(?:\.([\w$]+))?/g;
const DYNAMIC_IMPORT = /\bimport\s*\(\s*([^)]*?)\s*\)/g;
const OTHER_WAYS = new RegExp(
  [
    /\brequire\s*\(|\bcreateRequire\b|\bimport\.meta\.resolve\b/,
    /(?<!\bprocess\.)getBuiltinModule\b|\bgetBuiltinModule\b(?!\('node:[\w/]+'\))/,
    /\bprocess\.(?:binding|_linkedBinding|dlopen)\b/,
  ].map(({ source }) => source).join('|'),
  'g',
);

/** If the operand of `import(…)` is not a plain string, the specifier is `(operand)`. */
export function importsOf({ content }: File): Import[] {
  const text = content.toString('utf8');
  return [
    ...Array.from(text.matchAll(IMPORT), ([, clause = '', double, single]) => ({
      specifier: double ?? single ?? '',
      names: toNames(clause),
    })),
    ...Array.from(text.matchAll(BUILT_IN), ([, names, specifier = '', member]) => ({
      specifier, names: names === undefined && !member ? ['*'] : toNames(`{${names ?? ''},${member ?? ''}}`),
    })),
    ...Array.from(text.matchAll(DYNAMIC_IMPORT), ([, operand = '']) => ({
      specifier: /^(["'])([^"'`\\]+)\1$/.exec(operand)?.[2] ?? `(${operand})`,
      names: ['*'],
    })),
  ];
}

/** @param clause - The text between `import` and `from`, such as `cluster, { Worker as Process }`. */
function toNames(clause: string): string[] {
  const [, outer = '', inner = ''] = /^([^{]*)(?:\{([^}]*)\})?/.exec(clause) ?? [];
  const named = inner.split(',').map((name) => name.trim().split(/\s+as\s+/)[0] ?? '');
  const whole = /[^\s,]/.test(outer) ? ['*'] : []; // a default or namespace import
  return [...whole, ...named.filter((name) => name !== '')];
}

/** @param options - `allowsNode` is false for files that run in browsers. */
export function findImportFaults(
  files: readonly File[], { allowsNode }: { readonly allowsNode: boolean },
): string[] {
  const names = new Set(files.map(({ name }) => name));
  return files.filter(({ name }) => name.endsWith('.js')).flatMap((file) => {
    const isAllowed = (specifier: string) =>
      (/^\.\.?\//.test(specifier) && names.has(posix.join(posix.dirname(file.name), specifier))) ||
      (allowsNode && specifier.startsWith('node:'));
    const strangers = importsOf(file).filter(({ specifier }) => !isAllowed(specifier));
    return [
      ...strangers.map(({ specifier }) => `${file.name} imports ${specifier}`),
      ...Array.from(String(file.content).matchAll(OTHER_WAYS), ([word]) => `${file.name} has ${word}`),
    ];
  });
}

export function nodeModulesOf(files: readonly File[]): string[] {
  const specifiers = files.flatMap((file) => importsOf(file).map(({ specifier }) => specifier));
  return [...new Set(specifiers.filter((specifier) => specifier.startsWith('node:')))].sort();
}
