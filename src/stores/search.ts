/**
 * Searches for names. A prefix is a range of the index of names. Other texts of three or more characters are
 * found in usernames by a full-text index of every three consecutive characters (SQLite's tokenizer
 * `trigram`). Project names are compared one after the other, in parts: with such an index, a new project
 * would take a fifth longer.
 *
 * A username is indexed between two marks, so that `starts_with` and `ends_with` find trigrams as well: `ada`
 * is `‹ad ada da›`. The index keeps no positions, so a name with all trigrams of a text is only a candidate.
 * Then `toConditions` compares it.
 */
import type { Statement } from '../database/database.ts';
import type { NameSearch } from '../model/name.ts';
import type { Source } from './list.ts';

type Table = 'users' | 'projects';

/** No name contains these characters. */
const START = '\u0002';
const END = '\u0003';

/** SQL for the text that is indexed. */
export const toMarked = (keyColumn: string) => `char(2) || ${keyColumn} || char(3)`;

/**
 * The most trigrams of a text in a query. Each costs a pass over the names that contain it, and the first
 * few exclude nearly all candidates.
 */
const TRIGRAMS_MAX = 6;

/**
 * `instr` and `substr` are used rather than `LIKE`: every character of the text then matches only itself,
 * without escapes and without a limit on patterns.
 *
 * @param keyColumn - The column that holds the `NameKey`, as it is written in the statement.
 */
export function toConditions(search: NameSearch, keyColumn: string): readonly Statement[] {
  switch (search.kind) {
    case 'all':
      return [];
    case 'contains':
      return [{ sql: `instr(${keyColumn}, ?) > 0`, parameters: [search.text] }];
    case 'affixes': {
      const prefixLength = codePointCount(search.prefix);
      const suffixLength = codePointCount(search.suffix);
      return [{
        sql: `length(${keyColumn}) >= ?
          AND substr(${keyColumn}, 1, ?) = ?
          AND substr(${keyColumn}, length(${keyColumn}) - ? + 1) = ?`,
        parameters: [prefixLength + suffixLength, prefixLength, search.prefix, suffixLength, search.suffix],
      }];
    }
  }
}

/** Counts code points, as `substr` of SQLite does. */
function codePointCount(text: string): number {
  return Array.from(text).length;
}

/**
 * Every text is less than a blob, so `x''` stands for no bound.
 *
 * @returns Statements that select the ids of all names with the prefix. All matches are among them.
 */
export function toCandidates(table: Table, keyColumn: string, search: NameSearch): readonly Statement[] {
  const range = toKeyRange(search);
  return range === undefined ? [] : [{
    sql: `SELECT id FROM ${table} WHERE ${keyColumn} >= ? AND ${keyColumn} < coalesce(?, x'')`,
    parameters: [range.from, range.before],
  }];
}

/** @returns A statement that selects the ids of few users. All matches of the search are among them. */
export function matchTrigrams(search: NameSearch): Statement | undefined {
  const query = toTrigramQuery(search);
  return query === undefined ? undefined : {
    sql: 'SELECT rowid AS id FROM users_search WHERE users_search MATCH ?', parameters: [query],
  };
}

/** @param all - All rows in order. @returns In order of names, only those with the prefix of the search. */
export function toSource(search: NameSearch, all: Source): Source {
  return all.position === 'id' ? all : { ...all, range: toKeyRange(search) };
}

/** Triggers count the rows of a table. */
export function countRows(table: Table): Statement {
  return { sql: `SELECT ${table} AS total FROM row_counts`, parameters: [] };
}

/** The names that begin with a prefix, as a range of keys. */
interface KeyRange {
  readonly from: string;
  /** The first key after the range; NULL if no key is. */
  readonly before: string | null;
}

/** @returns `undefined` unless the search has a prefix. */
function toKeyRange(search: NameSearch): KeyRange | undefined {
  return search.kind === 'affixes' && search.prefix !== ''
    ? { from: search.prefix, before: toSuccessor(search.prefix) }
    : undefined;
}

/** @returns The smallest text that is greater than every text with this prefix; NULL if there is none. */
function toSuccessor(prefix: string): string | null {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1;
    if (next <= 0x10ffff) {
      const isSurrogate = next >= 0xd800 && next <= 0xdfff;
      return characters.join('') + String.fromCodePoint(isSurrogate ? 0xe000 : next);
    }
  }
  return null;
}

/** @returns The query of FTS5 that finds the candidates; `undefined` if the texts have no trigram. */
function toTrigramQuery(search: NameSearch): string | undefined {
  if (search.kind === 'all') {
    return undefined;
  }
  const texts = search.kind === 'contains'
    ? [search.text]
    : [search.prefix && START + search.prefix, search.suffix && search.suffix + END];
  const trigrams = texts.flatMap((text) => toTrigrams(Array.from(text)));
  return trigrams.length === 0 ? undefined : trigrams.map(quote).join(' AND ');
}

/** Spreads trigrams over a text: its first and last ones, and others in between. */
function toTrigrams(characters: readonly string[]): readonly string[] {
  const last = characters.length - 3;
  const count = Math.min(TRIGRAMS_MAX, last + 1);
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const start = count === 1 ? 0 : Math.round(index * last / (count - 1));
    return characters.slice(start, start + 3).join('');
  });
}

/**
 * Quotes a trigram, so that FTS5 does not parse it as an operator. NUL would end the query, and is in no
 * name, like the character that replaces it.
 */
function quote(trigram: string): string {
  return `"${trigram.replaceAll('"', '""').replaceAll('\0', '\u0001')}"`;
}
