/** The normal form of incoming text. */

const MARKS_TOO_MANY = /\p{M}{31}/u;
const ASCII = /^[\x00-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * Normalises incoming text to Unicode NFC, and refuses text that is ill-formed or expensive to normalise.
 *
 * Sorting a run of combining marks takes quadratic time: 128 KB of marks blocked the process for 1.7 s. So at
 * most 30 marks may follow each other, as in Unicode's Stream-Safe Text Format (UAX #15 §13). No language
 * needs more than 30 marks in a row.
 *
 * @returns The text in NFC. `undefined` for half of a surrogate pair, and for more than 30 marks in a row.
 */
export function normalizeText(text: string): string | undefined {
  if (isAscii(text)) {
    return text; // most texts are ASCII, and ASCII is always NFC
  }
  return text.isWellFormed() && !MARKS_TOO_MANY.test(text) ? text.normalize('NFC') : undefined;
}
