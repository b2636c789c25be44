/** Recognises the SQLite files of this service, and damaged files. */
import { DatabaseSync } from 'node:sqlite';
import { APPLICATION_ID } from './database.ts';

/** One statement, so another program cannot create its tables in between. */
const READ_OWNER = `
  SELECT application_id AS owner, EXISTS (SELECT 1 FROM sqlite_schema) AS has_tables
  FROM pragma_application_id`;

/** @throws When the database belongs to another program, or the file is no database. */
export function assertNotForeign(connection: DatabaseSync): void {
  const { owner, has_tables: hasTables } = connection.prepare(READ_OWNER).get() ?? {};
  const isNew = owner === 0 && hasTables === 0;
  if (owner !== APPLICATION_ID && !isNew) {
    throw new Error('it is a database of another program');
  }
}

/** @throws When it is not a database of this service, or still empty. */
export function assertOwnDatabase(connection: DatabaseSync): void {
  if (connection.prepare(READ_OWNER).get()?.['owner'] !== APPLICATION_ID) {
    throw new Error('it is not a database of this service');
  }
}

/**
 * Checks pages and tables. Comparing indexes with tables would take longer. The check reads every page, so it
 * has a connection of its own, whose memory is freed.
 *
 * @throws When the file is damaged, or another process has locked it.
 */
export function assertSound(path: string): void {
  const connection = new DatabaseSync(path);
  try {
    const { quick_check: finding } = connection.prepare('PRAGMA quick_check(1)').get() ?? {};
    if (finding !== 'ok') {
      throw new Error(`it is damaged: ${String(finding).replaceAll('\n', ' ')}`);
    }
  } finally {
    connection.close();
  }
}
