/**
 * The condition of a `NameSearch` and the window of a page, in SQL.
 *
 * `instr` and `substr` are used rather than `LIKE`: every character of the text then matches itself, without escapes, and
 * no pattern limit can be exceeded.
 */
import type { SqlValue } from '../database/database.ts';
import type { NameSearch } from '../model/name.ts';
import type { Page, PageRequest } from '../model/page.ts';

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** @param keyColumn - The column that holds the `NameKey`, as it is written in the statement. */
export function toCondition(search: NameSearch, keyColumn: string): Condition {
  switch (search.kind) {
    case 'all':
      return { sql: 'TRUE', parameters: [] };
    case 'contains':
      return { sql: `instr(${keyColumn}, ?) > 0`, parameters: [search.text] };
    case 'affixes': {
      const prefixLength = codePointCount(search.prefix);
      const suffixLength = codePointCount(search.suffix);
      return {
        sql: `length(${keyColumn}) >= ?
          AND substr(${keyColumn}, 1, ?) = ?
          AND substr(${keyColumn}, length(${keyColumn}) - ? + 1) = ?`,
        parameters: [prefixLength + suffixLength, prefixLength, search.prefix, suffixLength, search.suffix],
      };
    }
  }
}

/** `LIMIT` and `OFFSET`: one item more than the page holds, which tells whether a next page exists. */
export function toWindow({ number, sizeMax }: PageRequest): readonly [limit: number, offset: number] {
  return [sizeMax + 1, Math.min((number - 1) * sizeMax, Number.MAX_SAFE_INTEGER)];
}

/** @param items - What a statement with `toWindow` found. */
export function toPage<Item>(items: readonly Item[], { sizeMax }: PageRequest): Page<Item> {
  return { items: items.slice(0, sizeMax), hasNext: items.length > sizeMax };
}

/** SQLite counts code points. */
function codePointCount(text: string): number {
  return Array.from(text).length;
}
