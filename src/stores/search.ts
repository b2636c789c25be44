/**
 * Selects the rows that all pages of a list contain together: by a search for names, by owner, by other
 * conditions.
 */
import type { SqlValue, Statement } from '../database/database.ts';
import type { NameSearch } from '../model/name.ts';

export type Table = 'users' | 'projects';

/** The tables that count rows in blocks of ids, see paging.ts. */
export const BLOCKS = { users: 'user_blocks', projects: 'project_blocks' } as const;

export interface RowSet {
  /** Uses only columns that both the table and its blocks have. */
  readonly condition: Statement;
  /** An index that begins with the ids of the rows and has the columns of the condition. */
  readonly index: string;
  /** The condition of the index, if it is partial. `condition` implies it, but SQLite cannot infer that. */
  readonly isInIndex: string;
}

export interface RowQuery {
  readonly search: NameSearch;
  /** Selects only the projects of this user. */
  readonly ownerId?: number | undefined;
  /** Selects only these rows; all rows unless given. */
  readonly among?: RowSet | undefined;
  /** Selects only rows with these ids, at most a thousand. */
  readonly ids?: readonly number[] | undefined;
  /** The index in which the names are read. SQLite chooses one unless given. */
  readonly names?: string | undefined;
}

/** @returns The SQL after `FROM`, which selects the rows by conditions, without the full-text index. */
export function toRows(table: Table, { search, ownerId, among, ids, names }: RowQuery): Statement {
  const conditions = [
    toCondition(search, table === 'users' ? 'username_key' : 'name_key'),
    ...(ownerId === undefined ? [] : [{ sql: 'owner_id = ?', parameters: [ownerId] }]),
    ...(among === undefined ? [] : [among.condition]),
    ...(among === undefined || ids !== undefined ? [] : [{ sql: among.isInIndex, parameters: [] }]),
  ];
  const from = ids === undefined
    ? names === undefined ? table : `${table} INDEXED BY ${names}`
    : `json_each(?) AS given CROSS JOIN ${table} ON ${table}.id = given.value`;
  return {
    sql: `${from} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    parameters: [
      ...(ids === undefined ? [] : [JSON.stringify(ids)]),
      ...conditions.flatMap(({ parameters }): readonly SqlValue[] => parameters),
    ],
  };
}

/**
 * `instr` and `substr` are used rather than `LIKE`: every character of the text then matches only itself,
 * without escapes and without a limit on patterns.
 *
 * @param keyColumn - The column that holds the `NameKey`, as it is written in the statement.
 */
export function toCondition(search: NameSearch, keyColumn: string): Statement {
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
