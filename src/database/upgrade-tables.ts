/**
 * Upgrades the tables of an earlier version in one atomic batch. The old tables are renamed, the tables of a
 * new database are created by the same statements as everywhere, the rows are copied, and the old tables are
 * dropped. So the schema after an upgrade cannot differ from the schema of a new database.
 */
import type { Row, Statement } from './database.ts';

/** The known facts about the tables of an earlier version. */
export interface Upgrade {
  readonly from: number;
  /** Tables whose rows are copied. No row refers to a row of a later table. */
  readonly copied: readonly string[];
  /** Tables that only hold what follows from the copied rows. */
  readonly derived: readonly string[];
  /** Copy the rows of `old_…` tables. The triggers of the new tables are in force. */
  readonly copies: readonly string[];
}

/** Reads the indexes and triggers of a database, with the table of each. */
export const READ_DEPENDENTS: Statement = {
  sql: `
    SELECT type, name, tbl_name FROM sqlite_schema
    WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type DESC, name`,
  parameters: [],
};

/**
 * Names of indexes and triggers are unique in a database, so the old ones are dropped first. Dropping a table
 * whose rows are referred to would be refused, so tables are dropped from the last to the first.
 *
 * @param dependents - The rows of `READ_DEPENDENTS`.
 * @param creation - The statements that create the tables of the new version.
 */
export function toUpgradeStatements(
  { copied, derived, copies }: Upgrade, dependents: readonly Row[], creation: readonly string[],
): readonly string[] {
  const old = new Set([...copied, ...derived]);
  return [
    ...dependents.filter((row) => old.has(String(row['tbl_name'])))
      .map(({ type, name }) => `DROP ${String(type).toUpperCase()} ${String(name)}`),
    ...derived.map((table) => `DROP TABLE ${table}`),
    ...copied.map((table) => `ALTER TABLE ${table} RENAME TO old_${table}`),
    ...creation,
    ...copies,
    ...copied.flatMap(keepLastId),
    ...copied.toReversed().map((table) => `DROP TABLE old_${table}`),
  ];
}

/** Ids of deleted rows are not assigned again. SQLite renames the entry of a table when it is renamed. */
function keepLastId(table: string): readonly string[] {
  return [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'
       AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'old_${table}')`,
    `UPDATE sqlite_sequence SET name = '${table}' WHERE name = 'old_${table}'`,
  ];
}
