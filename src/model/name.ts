/**
 * Names of users and projects: the case in which they were written is kept, but uniqueness, look-up and search ignore it.
 *
 * Two names are the same when their keys are equal. The key is computed here and never in SQL, because SQLite's `NOCASE`
 * and `lower()` know only the letters of ASCII.
 */

/** A name as it is compared: NFKC, then full case folding, then NFKC again, as PRECIS does it (RFC 8265 §3.3). */
export type NameKey = string & { readonly __brand: 'NameKey' };

/**
 * Code units of 255 characters, which no name exceeds. Ordering marks takes time that grows with the square of their
 * number, and NFKC makes marks of characters that are none before it (U+FF9E), which no limit on runs of marks counts.
 */
const NAME_LENGTH_MAX = 510;

/**
 * Folds code point by code point, so that a part of a name is found in the name: `toLowerCase` of a whole text makes a
 * final sigma depend on its neighbours.
 *
 * JavaScript has no case folding, but full lower, upper and lower case, one after the other, fold every code point as
 * Unicode's CaseFolding.txt (C + F) does, with one exception: `ı` (U+0131) becomes `i`, which makes two names one
 * rather than one name two. Cherokee folds to its small letters, where Unicode folds to its capitals.
 *
 * @returns The key; text that is too long for a name is its own key.
 */
export function toNameKey(name: string): NameKey {
  if (isAscii(name)) {
    return name.toLowerCase() as NameKey;
  }
  if (name.length > NAME_LENGTH_MAX) {
    return name as NameKey;
  }
  return Array.from(name.normalize('NFKC'), foldCase).join('').normalize('NFKC') as NameKey;
}

function foldCase(codePoint: string): string {
  return codePoint.toLowerCase().toUpperCase().toLowerCase();
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}

/** Scripts that are written together (UTS #39 §5.2, "highly restrictive"). */
const SCRIPTS_TOGETHER = [['Latin', 'Han', 'Hiragana', 'Katakana'], ['Latin', 'Han', 'Bopomofo'], ['Latin', 'Han', 'Hangul']];

/** The other scripts in general use (UAX #31, table 5). All that remain count as one. */
const SCRIPTS_ALONE = [
  'Arabic', 'Armenian', 'Bengali', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek', 'Gujarati', 'Gurmukhi',
  'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thaana', 'Thai',
  'Tibetan',
];

/** Marks of no script go with all of them. */
const OF_ONE_SCRIPT = new RegExp(
  [...SCRIPTS_TOGETHER, ...SCRIPTS_ALONE.map((script) => [script])]
    .map((scripts) => `^[\\p{scx=Common}\\p{sc=Inherited}${toClass(scripts)}]*$`)
    .concat(`^[\\p{sc=Inherited}[^${toClass([...SCRIPTS_TOGETHER.flat(), ...SCRIPTS_ALONE])}]]*$`)
    .join('|'),
  'v',
);

function toClass(scripts: readonly string[]): string {
  return scripts.map((script) => `\\p{scx=${script}}`).join('');
}

/**
 * True when all letters are of one script, or of several that are written together, so that no letter is taken for one of
 * another script: `root` with a Cyrillic `о` is refused. Look-alikes in a single script are not noticed. Judged by what
 * is compared, as `µ` is Greek in NFKC.
 */
export function isOfOneScript(name: string): boolean {
  return isAscii(name) || OF_ONE_SCRIPT.test(name.normalize('NFKC'));
}

/** True for text that a path segment would read as an id: decimal digits alone. */
export function isIdText(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

/**
 * Which names a list shows. `affixes` is the specification's joined pattern `<prefix>%%<suffix>`: prefix and suffix may
 * not overlap. Texts are keys, so that case is ignored, and match themselves literally.
 */
export type NameSearch = { readonly kind: 'all' } | TextSearch;

export type TextSearch =
  | { readonly kind: 'contains'; readonly text: NameKey }
  | { readonly kind: 'affixes'; readonly prefix: NameKey; readonly suffix: NameKey };
