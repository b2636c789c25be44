/**
 * Names are stored with their letter case. Two names are the same if their keys are equal. A key
 * is the name without invisible characters, after NFKC, full case folding, and NFKC again (RFC 8265 §3.3,
 * UsernameCaseMapped). Keys are not computed in SQL, because SQLite folds only ASCII letters.
 */
export type NameKey = string & { readonly __brand: 'NameKey' };

export const USERNAME_LENGTH_MAX = 64;
export const PROJECT_NAME_LENGTH_MAX = 255;

/**
 * Names of more than `FOLDED_LENGTH_MAX` UTF-16 units are not folded. NFKC turns characters such as U+FF9E
 * into combining marks, and sorts the marks in quadratic time.
 */
const FOLDED_LENGTH_MAX = 2 * PROJECT_NAME_LENGTH_MAX;

export function toNameKey(name: string): NameKey {
  if (/^[\x00-\x7f]*$/.test(name)) {
    return name.toLowerCase() as NameKey;
  }
  if (name.length > FOLDED_LENGTH_MAX) {
    return name as NameKey;
  }
  // A search for a part of a name compares keys, so each code point is folded independently of the others.
  // In a whole name, `toLowerCase` turns `Σ` into `ς` at the end of a word, and into `σ` elsewhere.
  const visible = name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
  return Array.from(visible, foldCase).join('').normalize('NFKC') as NameKey;
}

/** Folds case by Unicode's CaseFolding.txt (C + F). Exceptions: Cherokee, and `ı` (U+0131) becomes `i`. */
function foldCase(codePoint: string): string {
  return codePoint.toLowerCase().toUpperCase().toLowerCase();
}

export type IdOrName<Id> = { readonly id: Id } | { readonly name: string };

/** In a path, a decimal integer is an id, even if no record can have this id. */
export function idOrName<Id extends number>(segment: string): IdOrName<Id> {
  return /^[+-]?[0-9]+$/.test(segment) ? { id: Number(segment) as Id } : { name: segment };
}

/** Recommended scripts (UAX #31, table 5). Each string lists scripts that a name may mix (UTS #39 §5.2). */
const SCRIPTS = [
  'Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul',
  ...(
    'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada ' +
    'Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
  ).split(' '),
];

const toClass = (scripts: string): string => scripts.replace(/\w+ ?/g, (name) => `\\p{scx=${name.trim()}}`);

/** All scripts outside `SCRIPTS` count as one script. Inherited marks, such as accents, fit every script. */
const OF_ONE_SCRIPT = new RegExp(
  [...SCRIPTS.map((scripts) => `\\p{scx=Common}${toClass(scripts)}`), `[^${toClass(SCRIPTS.join(' '))}]`]
    .map((allowed) => `^[\\p{sc=Inherited}${allowed}]*$`).join('|'),
  'v',
);

/**
 * Detects names that mix scripts, because similar letters of two scripts can make names look alike. Similar
 * letters of one script are allowed. The check first normalizes names to NFKC, as comparisons of names do.
 */
export function isOfOneScript(name: string): boolean {
  return OF_ONE_SCRIPT.test(name.normalize('NFKC'));
}
