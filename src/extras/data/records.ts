/**
 * Reads and writes all data as records, to move it from one database to another. A record is a row without
 * the columns that are computed from others. Ids, hashes and the audit trail stay as they are.
 */
import type { Database, Row, SqlValue, Statement } from '../../database/database.ts';
import { toNameKey } from '../../model/name.ts';

/** The columns of each record by table. Rows refer only to rows of earlier tables. */
export const RECORD_TABLES = {
  users: {
    id: 'integer', username: 'text', email: 'text', password_hash: 'text', password_version: 'integer',
    is_admin: 'integer', disabled: 'integer', version: 'integer', date_created: 'text',
  },
  projects: {
    id: 'integer', name: 'text', description: 'text', owner_id: 'integer', version: 'integer',
    date_created: 'text',
  },
  tokens: {
    id: 'integer', digest: 'text', user_id: 'integer', name: 'text', last_four: 'text', scope: 'token scope',
    date_created: 'text', expires_at: 'text', last_used: 'text or null', revoked_at: 'text or null',
    parent_id: 'integer or null',
  },
  audit_events: {
    id: 'integer', occurred_at: 'text', action: 'text', resource_type: 'text', resource_id: 'integer or null',
    resource_name: 'text', details: 'text', user_id: 'integer or null', username: 'text or null',
    sign_in: 'text', token_id: 'integer or null', request_id: 'text', address: 'text',
  },
} as const;

export type RecordTable = keyof typeof RECORD_TABLES;
/** The tables in order. The cast is needed because `Object.keys` returns any strings. */
export const RECORD_TABLE_NAMES = Object.keys(RECORD_TABLES) as readonly RecordTable[];

/** Columns that exports of earlier versions lack, and the values that these columns then get. */
export const LATER_COLUMNS: { readonly [table in RecordTable]?: Row } = {
  tokens: { parent_id: null },
};

/** Computes the derived columns, which a row has and its record lacks. */
const DERIVED: Readonly<Record<RecordTable, (record: Row) => Row>> = {
  users: ({ username }) => ({ username_key: toNameKey(String(username)) }),
  projects: ({ name }) => ({ name_key: toNameKey(String(name)) }),
  tokens: () => ({}),
  audit_events: () => ({}),
};

export function createRecordStore(database: Database) {
  return {
    /** @returns At most `countMax` records with higher ids than `id`, in the order of their ids. */
    async listAfter(table: RecordTable, id: number, countMax: number): Promise<readonly Row[]> {
      return database.read({
        sql: `${toSelect(table)} WHERE id > ? ORDER BY id LIMIT ?`, parameters: [id, countMax],
      });
    },

    /** @returns The records with ids higher than `after`, up to `last`. */
    async listBetween(table: RecordTable, after: number, last: number): Promise<readonly Row[]> {
      return database.read({
        sql: `${toSelect(table)} WHERE id > ? AND id <= ? ORDER BY id`, parameters: [after, last],
      });
    },

    async count(table: RecordTable): Promise<number> {
      const [row] = await database.read({ sql: `SELECT count(*) AS count FROM ${table}`, parameters: [] });
      return Number(row?.['count']);
    },

    /** @returns The highest id ever assigned, by table. A new row gets a higher one. */
    async readLastIds(): Promise<Readonly<Record<RecordTable, number>>> {
      const rows = await database.read({ sql: 'SELECT name, seq FROM sqlite_sequence', parameters: [] });
      const byName = new Map(rows.map(({ name, seq }) => [name, Number(seq)]));
      const entries = RECORD_TABLE_NAMES.map((table) => [table, byName.get(table) ?? 0]);
      return Object.fromEntries(entries) as Record<RecordTable, number>; // one entry for each table
    },

    /** Inserts records in one batch: all or none. */
    async insert(table: RecordTable, records: readonly Row[]): Promise<void> {
      const names = table === 'audit_events' ? [toNamesInsertion(records)] : [];
      await database.write([toInsertion(table, records), ...names]);
    },

    /** Sets the highest id ever assigned, unless a row has a higher one. */
    async setLastId(table: RecordTable, id: number): Promise<void> {
      await database.write([
        {
          sql:
            'INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM ' +
            'sqlite_sequence WHERE name = ?)',
          parameters: [table, table],
        },
        { sql: 'UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', parameters: [id, table] },
      ]);
    },
  };
}

export type RecordStore = ReturnType<typeof createRecordStore>;

/** Makes the statement that finds users again by the names that they had at the time of these events. */
function toNamesInsertion(events: readonly Row[]): Statement {
  const names = events.flatMap(({ user_id, username, resource_type, resource_id, resource_name }) => [
    ...(username === null ? [] : [[user_id, toNameKey(String(username))]]),
    ...(resource_type === 'user' ? [[resource_id, toNameKey(String(resource_name))]] : []),
  ]);
  return {
    sql: `INSERT INTO user_names (user_id, username_key)
      SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE TRUE ON CONFLICT DO NOTHING`,
    parameters: [JSON.stringify(names)],
  };
}

function toSelect(table: RecordTable): string {
  return `SELECT ${Object.keys(RECORD_TABLES[table]).join(', ')} FROM ${table}`;
}

/** Makes one statement that inserts all records; they are one parameter, a JSON text. */
function toInsertion(table: RecordTable, records: readonly Row[]): Statement {
  const rows = records.map((record) => ({ ...record, ...DERIVED[table](record) }));
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((column) => `value ->> '${column}'`);
  const parameter: SqlValue = JSON.stringify(rows);
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')})
      SELECT ${values.join(', ')} FROM json_each(?) ORDER BY key`,
    parameters: [parameter],
  };
}
