/**
 * Recognizes a misspelt word: a setting or a command that is one slip of the keyboard away from a known one.
 */

/**
 * Tells whether two different words are the same but for one slip: a letter too many, too few or wrong, or
 * two neighbours swapped (Damerau-Levenshtein distance 1).
 *
 * @param lengthMin - In a shorter word, only swapped neighbours and a doubled letter count. An environment
 *   may have variables such as PORTS, POST or SORT, which are not misspelt forms of PORT.
 */
export function isSlip(written: string, meant: string, lengthMin = 6): boolean {
  const shorter = Math.min(written.length, meant.length);
  let start = 0;
  while (start < shorter && written[start] === meant[start]) {
    start += 1;
  }
  let end = 0;
  while (end < shorter - start && written.at(-1 - end) === meant.at(-1 - end)) {
    end += 1;
  }
  const [left = '', right = ''] = [written, meant].map((word) => word.slice(start, word.length - end));
  const isSwap = left.length === 2 && left === `${right[1]}${right[0]}`;
  const isDoubled = right === '' && left === written[start - 1];
  const isOneEdit = left.length <= 1 && right.length <= 1;
  return isSwap || isDoubled || (isOneEdit && meant.length >= lengthMin);
}
