/**
 * Names of users and projects: the case in which they were written is kept, but uniqueness, look-up and search ignore it.
 *
 * Two names are the same when their keys are equal. The key is computed here and never in SQL, because SQLite's `NOCASE`
 * and `lower()` know only the letters of ASCII.
 */

/** A name as it is compared: NFC, then every code point in its simple lower case (Unicode), then NFC again. */
export type NameKey = string & { readonly __brand: 'NameKey' };

/** `İ` (U+0130) is the one code point whose full lower case is longer than its simple one. */
const CAPITAL_I_WITH_DOT = '\u0130';

export function toNameKey(name: string): NameKey {
  if (isAscii(name)) {
    return name.toLowerCase() as NameKey;
  }
  // Code point by code point, since `toLowerCase` of a whole text makes a final sigma depend on its neighbours, and a
  // part of a name would no longer be found in the name.
  const lowered = Array.from(name.normalize('NFC'), toSimpleLowerCase).join('');
  return lowered.normalize('NFC') as NameKey;
}

function toSimpleLowerCase(codePoint: string): string {
  return codePoint === CAPITAL_I_WITH_DOT ? 'i' : codePoint.toLowerCase();
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
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
