/**
 * Names cut into grams, so that a full-text index answers `contains`, `starts_with` and `ends_with` for texts of any length
 * without reading every name.
 *
 * A name gets one mark before it and three behind it, and each group of four characters that follow each other is a gram:
 * `ab_1` is `‹ab_ ab_1 b_1› _1›› 1›››`. A text of four or more characters is contained only in names that have all of its
 * own grams; a shorter text is the beginning of some gram wherever it stands. The index keeps no positions, so a name with
 * all grams is a candidate, and the statement compares it with the text itself (see search.ts).
 *
 * Four, because lists of grams are read to be intersected: with three, where a gram is in ten times as many names, the
 * selective searches of the benchmark cost up to five times as much, and more the more users there are.
 *
 * The index splits text at everything but letters and digits of ASCII and characters beyond it (FTS5's tokenizer `ascii`).
 * So other characters of ASCII, and the marks, are moved into the Private Use Area of Unicode first, from U+E000 on. A name
 * that has such characters itself may become a candidate needlessly, never be missed.
 */
import type { NameKey, TextSearch } from '../model/name.ts';

const GRAM_LENGTH = 4;
/** More grams narrow the candidates no further, and an expression must not grow with the request. */
const TERMS_MAX = 16;
const PRIVATE_USE_AREA = 0xe000;
/** Moved U+0002 and U+0003, which no name contains. */
const START = '\ue002';
const END = '\ue003';

/** @returns The grams of a name, each once, joined by spaces: the text that is indexed. */
export function toGrams(key: NameKey): string {
  return [...new Set(cut(START + toIndexable(key) + END.repeat(GRAM_LENGTH - 1)))].join(' ');
}

/** @returns The query of FTS5 that finds the candidates. */
export function toGramQuery(search: TextSearch): string {
  switch (search.kind) {
    case 'contains':
      return toQuery([toIndexable(search.text)]);
    case 'affixes': {
      const parts: string[] = [];
      if (search.prefix !== '') {
        parts.push(START + toIndexable(search.prefix));
      }
      if (search.suffix !== '') {
        parts.push(endAsGram(toIndexable(search.suffix)));
      }
      return toQuery(parts);
    }
  }
}

/** With one mark, or as many more as make a whole gram of a short suffix. */
function endAsGram(suffix: string): string {
  return suffix + END.repeat(Math.max(1, GRAM_LENGTH - Array.from(suffix).length));
}

/**
 * Grams that lie side by side, and one that reaches to the end, leave out no character; those in between would make the
 * search dearer and hardly narrower. Grams are quoted, so that none is taken for an operator; they contain no quote, which
 * is moved like all ASCII signs.
 */
function toQuery(parts: readonly string[]): string {
  const terms = parts.flatMap((part) => {
    const grams = cut(part).filter((_, index, { length }) => index % GRAM_LENGTH === 0 || index === length - 1);
    return grams.length > 0 ? grams.map((gram) => `"${gram}"`) : [`"${part}"*`];
  });
  return [...new Set(terms)].slice(0, TERMS_MAX).join(' AND ');
}

function cut(text: string): string[] {
  const characters = Array.from(text);
  return characters.slice(GRAM_LENGTH - 1).map((_, index) => characters.slice(index, index + GRAM_LENGTH).join(''));
}

function toIndexable(text: string): string {
  return text.replace(/[\0-\x2f\x3a-\x60\x7b-\x7f]/g, (character) =>
    String.fromCharCode(PRIVATE_USE_AREA + character.charCodeAt(0)),
  );
}
