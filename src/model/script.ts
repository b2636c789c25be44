/** Detects names of mixed scripts. Letters of two scripts can look alike, and so imitate another name. */

/** The recommended scripts (UAX #31, table 5). Scripts in one string may be mixed (UTS #39 §5.2). */
const SCRIPTS = [
  'Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul',
  ...(
    'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada ' +
    'Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
  ).split(' '),
];

const toClass = (scripts: string): string => scripts.replace(/\w+ ?/g, (name) => `\\p{scx=${name.trim()}}`);

/** All other scripts together count as one. Inherited marks are allowed in every script. */
const OF_ONE_SCRIPT = new RegExp(
  [...SCRIPTS.map((scripts) => `\\p{scx=Common}${toClass(scripts)}`), `[^${toClass(SCRIPTS.join(' '))}]`]
    .map((allowed) => `^[\\p{sc=Inherited}${allowed}]*$`).join('|'),
  'v',
);

/** Look-alikes within one script are allowed. Names are compared in NFKC, so the NFKC form is checked. */
export function isOfOneScript(name: string): boolean {
  return OF_ONE_SCRIPT.test(name.normalize('NFKC'));
}
