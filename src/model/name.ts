/**
 * A name keeps its case. Two names are the same if their keys are equal. A key is the name after NFKC, full
 * case folding, and NFKC again (UsernameCaseMapped, RFC 8265 §3.3). SQL computes no key, because SQLite's
 * `NOCASE` and `lower()` know only the letters of ASCII.
 */
export type NameKey = string & { readonly __brand: 'NameKey' };

export const USERNAME_LENGTH_MAX = 64;
export const PROJECT_NAME_LENGTH_MAX = 255;

/**
 * The longest name that is folded, in UTF-16 units. NFKC sorts marks in quadratic time, and turns characters
 * such as U+FF9E into marks.
 */
const FOLDED_LENGTH_MAX = 2 * PROJECT_NAME_LENGTH_MAX;

export function toNameKey(name: string): NameKey {
  if (/^[\x00-\x7f]*$/.test(name)) {
    return name.toLowerCase() as NameKey;
  }
  if (name.length > FOLDED_LENGTH_MAX) {
    return name as NameKey;
  }
  // Each code point is folded alone: `toLowerCase` of a whole text folds a sigma by its neighbours, but
  // searches need keys of names that contain the keys of the parts of the names.
  return Array.from(name.normalize('NFKC'), foldCase).join('').normalize('NFKC') as NameKey;
}

/** Equals CaseFolding.txt of Unicode (C + F), except for `ı` (U+0131, folds to `i`) and Cherokee. */
function foldCase(codePoint: string): string {
  return codePoint.toLowerCase().toUpperCase().toLowerCase();
}

export type IdOrName<Id> = { readonly id: Id } | { readonly name: string };

/** In a path, a decimal integer is an id. An integer that cannot be an id becomes 0, which no record has. */
export function idOrName<Id extends number>(segment: string): IdOrName<Id> {
  if (!/^[+-]?[0-9]+$/.test(segment)) {
    return { name: segment };
  }
  const id = Number(segment);
  return { id: (id >= 1 && Number.isSafeInteger(id) ? id : 0) as Id };
}
