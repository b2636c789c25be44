/** Detects names of mixed scripts: with letters that look alike, such a name can imitate another name. */

/** The recommended scripts (UAX #31, table 5); scripts that a name may mix stand together (UTS #39 §5.2). */
const SCRIPTS = [
  'Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul',
  ...(
    'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada ' +
    'Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
  ).split(' '),
];

const toClass = (scripts: string): string => scripts.replace(/\w+ ?/g, (name) => `\\p{scx=${name.trim()}}`);

/** Scripts that are not recommended count as one script. Marks of the script Inherited fit every script. */
const OF_ONE_SCRIPT = new RegExp(
  [...SCRIPTS.map((scripts) => `\\p{scx=Common}${toClass(scripts)}`), `[^${toClass(SCRIPTS.join(' '))}]`]
    .map((allowed) => `^[\\p{sc=Inherited}${allowed}]*$`).join('|'),
  'v',
);

/** Similar letters of one script are allowed. Names are checked in NFKC, in which they are compared. */
export function isOfOneScript(name: string): boolean {
  return OF_ONE_SCRIPT.test(name.normalize('NFKC'));
}
