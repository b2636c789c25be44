/** Incoming text: its normal form, and its limits. */

const MARKS_TOO_MANY = /\p{M}{31}/u;
const ASCII = /^[\x00-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * Normalises incoming text to Unicode NFC, and refuses text that is ill-formed or expensive to normalise.
 *
 * Sorting a run of combining marks takes quadratic time: 128 KB of them blocked the process for 1.7 s. So at
 * most 30 may follow each other. This is the limit of Unicode's Stream-Safe Text Format (UAX #15 §13), and
 * more than any language needs.
 *
 * @returns The text in NFC, or `undefined` when it has half of a surrogate pair, or more than 30 marks in a
 *   row.
 */
export function normalizeText(text: string): string | undefined {
  if (isAscii(text)) {
    return text; // most text, and in NFC already
  }
  return text.isWellFormed() && !MARKS_TOO_MANY.test(text) ? text.normalize('NFC') : undefined;
}
