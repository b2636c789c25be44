/**
 * Normalises text to NFC, and refuses halves of surrogate pairs and more than 30 combining marks in a row.
 * Normalising many combining marks in a row takes quadratic time: for 128 KB of marks, it takes 1.7 s. No
 * language needs more than 30 combining marks in a row (Stream-Safe Text Format, UAX #15 §13).
 */
export function normalizeText(text: string): string | undefined {
  return /^[\x00-\x7f]*$/.test(text) ? text // ASCII is always NFC
    : text.isWellFormed() && !/\p{M}{31}/u.test(text) ? text.normalize('NFC')
    : undefined;
}
