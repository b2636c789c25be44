/** Detects names of mixed scripts. Letters of two scripts can look alike, and so imitate another name. */

/**
 * The recommended scripts (UAX #31, table 5). Scripts that stand in one string, such as Latin and Han, may be
 * mixed in a name (UTS #39 §5.2).
 */
const SCRIPTS = [
  'Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul',
  ...(
    'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada ' +
    'Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
  ).split(' '),
];

const toClass = (scripts: string): string => scripts.replace(/\w+ ?/g, (name) => `\\p{scx=${name.trim()}}`);

/**
 * All scripts that are not recommended count as one script together. Marks of the script Inherited are
 * allowed in every script.
 */
const OF_ONE_SCRIPT = new RegExp(
  [...SCRIPTS.map((scripts) => `\\p{scx=Common}${toClass(scripts)}`), `[^${toClass(SCRIPTS.join(' '))}]`]
    .map((allowed) => `^[\\p{sc=Inherited}${allowed}]*$`).join('|'),
  'v',
);

/**
 * Letters of one script that look alike are allowed. Names are compared in NFKC, so the NFKC form is checked.
 */
export function isOfOneScript(name: string): boolean {
  return OF_ONE_SCRIPT.test(name.normalize('NFKC'));
}
