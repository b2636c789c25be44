/**
 * Writes a `NameSearch` as a condition in SQL.
 *
 * `instr` and `substr` are used rather than `LIKE`: every character of the text then matches only itself,
 * without escapes and without a limit on patterns.
 */
import type { SqlValue } from '../database/database.ts';
import type { NameSearch } from '../model/name.ts';

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

/** Counts code points, as `substr` of SQLite does. */
function codePointCount(text: string): number {
  return Array.from(text).length;
}
