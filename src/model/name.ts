/**
 * Names of users and projects: the case in which they were written is kept, but uniqueness, look-up and
 * search ignore it. Two names are the same when their keys are equal. The key is computed here and never in
 * SQL, because SQLite's `NOCASE` and `lower()` know only the letters of ASCII.
 */

/** A name as it is compared: NFKC, full case folding, NFKC (PRECIS UsernameCaseMapped, RFC 8265 §3.3). */
export type NameKey = string & { readonly __brand: 'NameKey' };

/** The length of the longest name, in characters. */
export const USERNAME_LENGTH_MAX = 64;
export const PROJECT_NAME_LENGTH_MAX = 255;

/**
 * The length of the longest name in code units, of which a character has one or two. Longer text is not
 * folded, because sorting combining marks takes quadratic time. The limit on runs of marks in a request does
 * not suffice: NFKC turns some other characters, such as U+FF9E, into marks.
 */
const FOLDED_LENGTH_MAX = 2 * PROJECT_NAME_LENGTH_MAX;

const ASCII = /^[\x00-\x7f]*$/;

/**
 * Folds each code point alone, so that the key of a name contains the keys of its parts. `toLowerCase` of a
 * whole text would make a final sigma depend on its neighbours.
 *
 * @returns The key. Text longer than any name is returned as it is.
 */
export function toNameKey(name: string): NameKey {
  if (ASCII.test(name)) {
    return name.toLowerCase() as NameKey;
  }
  if (name.length > FOLDED_LENGTH_MAX) {
    return name as NameKey;
  }
  return Array.from(name.normalize('NFKC'), foldCase).join('').normalize('NFKC') as NameKey;
}

/**
 * JavaScript has no case folding. Converting to lower, upper and lower case in turn is equivalent to
 * CaseFolding.txt (C + F), with one exception: `ı` (U+0131) and `i` get the same key. Cherokee folds to small
 * letters instead of capitals.
 */
function foldCase(codePoint: string): string {
  return codePoint.toLowerCase().toUpperCase().toLowerCase();
}

/** A record by its id or by its name. `undefined` is an id that no record can have. */
export type IdOrName<Id> = { readonly id: Id } | { readonly name: string } | undefined;

/** True for text that a path segment would read as an id: an integer in decimal, with or without a sign. */
export function isIdText(text: string): boolean {
  return /^[+-]?[0-9]+$/.test(text);
}
