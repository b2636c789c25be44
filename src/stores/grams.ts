/**
 * Splits names into grams, so that a full-text index finds `contains`, `starts_with` and `ends_with` for
 * texts of any length without reading every name.
 *
 * A name gets one mark before it and three after it, and every four consecutive characters are a gram: `ab_1`
 * is `‹ab_ ab_1 b_1› _1›› 1›››`. A text of four or more characters is contained only in names that have all
 * grams of the text. A shorter text is the beginning of some gram, wherever it occurs. The index keeps no
 * positions, so a name with all grams is only a candidate. The statement then compares the name with the text
 * (see search.ts).
 *
 * The length is four, because the index reads and intersects the list of names of each gram. With three, a
 * gram is in ten times as many names: the selective searches of the benchmark cost up to five times as much,
 * growing with the number of users. For the same reason there are longer grams of five to eight characters at
 * both ends of a name, mark included: `‹abcd`, `cdef›`. Many names begin or end with the same few characters:
 * in a million names, finding a prefix of seven characters that 20 names share takes 12 µs with the longer
 * grams, and 200 µs without.
 *
 * The index splits text at all ASCII characters except letters and digits (FTS5's tokenizer `ascii`). So
 * these characters, and the marks, are first mapped to the Private Use Area of Unicode, from U+E000 on. Names
 * that contain such characters can cause false positives, never false negatives.
 */
import type { NameKey, TextSearch } from '../model/name.ts';

const GRAM_LENGTH = 4;
/** The lengths of the longer grams at both ends of a name, the longest first. */
const END_GRAM_LENGTHS = [8, 7, 6, 5];
/** The most grams in a query: further grams narrow the candidates no more, and the query stays bounded. */
const TERMS_MAX = 16;
const PRIVATE_USE_AREA = 0xe000;
/** The marks: U+0002 and U+0003, mapped to the Private Use Area. No name contains these two characters. */
const START = '\ue002';
const END = '\ue003';

/** @returns The grams of a name, each once, joined by spaces: the text that is indexed. */
export function toGrams(key: NameKey): string {
  const name = Array.from(toIndexable(key));
  const marked = [START, ...name, ...Array<string>(GRAM_LENGTH - 1).fill(END)];
  const grams = marked.slice(GRAM_LENGTH - 1).map(
    (_, index) => marked.slice(index, index + GRAM_LENGTH).join(''),
  );
  const endGrams = END_GRAM_LENGTHS.filter((length) => name.length >= length - 1).flatMap((length) => [
    START + name.slice(0, length - 1).join(''),
    name.slice(1 - length).join('') + END,
  ]);
  return [...new Set([...grams, ...endGrams])].join(' ');
}

/** @returns The query of FTS5 that finds the candidates. */
export function toGramQuery(search: TextSearch): string {
  const terms = search.kind === 'contains'
    ? toTerms(Array.from(toIndexable(search.text)))
    : [...toPrefixTerms(toIndexable(search.prefix)), ...toSuffixTerms(toIndexable(search.suffix))];
  return [...new Set(terms)].slice(0, TERMS_MAX).join(' AND ');
}

function toPrefixTerms(prefix: string): readonly string[] {
  const text = [START, ...Array.from(prefix)];
  if (text.length < GRAM_LENGTH) {
    return prefix === '' ? [] : toTerms(text);
  }
  const length = endGramLength(text);
  return [toTerm(text.slice(0, length)), ...cover(text, length, text.length)];
}

/** The terms for a suffix. A short suffix becomes a whole gram by further marks after it. */
function toSuffixTerms(suffix: string): readonly string[] {
  const characters = Array.from(suffix);
  const text = [...characters, ...Array<string>(Math.max(1, GRAM_LENGTH - characters.length)).fill(END)];
  const length = endGramLength(text);
  return suffix === '' ? [] : [toTerm(text.slice(-length)), ...cover(text, 0, text.length - length)];
}

function endGramLength(text: readonly string[]): number {
  return END_GRAM_LENGTHS.find((length) => length <= text.length) ?? GRAM_LENGTH;
}

function toTerms(text: readonly string[]): readonly string[] {
  return text.length < GRAM_LENGTH ? [`${toTerm(text)}*`] : cover(text, 0, text.length);
}

/**
 * Finds grams that cover every character: adjacent grams, and one at the end. More overlapping grams would
 * cost more and exclude hardly any names.
 *
 * @param text - At least as long as a gram.
 */
function cover(text: readonly string[], from: number, to: number): string[] {
  const terms: string[] = [];
  for (let place = from; place < to; place += GRAM_LENGTH) {
    const start = Math.min(place, text.length - GRAM_LENGTH);
    terms.push(toTerm(text.slice(start, start + GRAM_LENGTH)));
  }
  return terms;
}

/**
 * Quotes a gram, so that FTS5 does not parse it as an operator. The gram itself contains no quotation mark:
 * all ASCII signs are mapped.
 */
function toTerm(gram: readonly string[]): string {
  return `"${gram.join('')}"`;
}

function toIndexable(text: string): string {
  return text.replace(/[\0-\x2f\x3a-\x60\x7b-\x7f]/g, (character) =>
    String.fromCharCode(PRIVATE_USE_AREA + character.charCodeAt(0)),
  );
}
