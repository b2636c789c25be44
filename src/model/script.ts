/** Detects names that mix scripts, because similar letters of two scripts can make names look alike. */

/** The recommended scripts (UAX #31, table 5). A name may mix scripts of the same string (UTS #39 §5.2). */
const SCRIPTS = [
  'Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul',
  ...(
    'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada ' +
    'Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
  ).split(' '),
];

const toClass = (scripts: string): string => scripts.replace(/\w+ ?/g, (name) => `\\p{scx=${name.trim()}}`);

/** All scripts outside `SCRIPTS` count as one script. Marks of the script Inherited fit every script. */
const OF_ONE_SCRIPT = new RegExp(
  [...SCRIPTS.map((scripts) => `\\p{scx=Common}${toClass(scripts)}`), `[^${toClass(SCRIPTS.join(' '))}]`]
    .map((allowed) => `^[\\p{sc=Inherited}${allowed}]*$`).join('|'),
  'v',
);

/** Similar letters of one script are allowed. Names are checked in NFKC, which comparisons also use. */
export function isOfOneScript(name: string): boolean {
  return OF_ONE_SCRIPT.test(name.normalize('NFKC'));
}
