/** Recognises the SQLite files of this service, and damaged files. */
import { DatabaseSync } from 'node:sqlite';
import { APPLICATION_ID } from './database.ts';

/**
 * Marks a new database as one of this service.
 *
 * @throws When it is the database of another program, which stays unchanged.
 */
export function claimDatabase(connection: DatabaseSync): void {
  if (readApplicationId(connection) === APPLICATION_ID) {
    return;
  }
  connection.exec('BEGIN IMMEDIATE'); // of several processes that open a new file at once, the first marks it
  try {
    const id = readApplicationId(connection);
    if (id === 0 && connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined) {
      connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    } else if (id !== APPLICATION_ID) {
      throw new Error('it is a database of another program');
    }
    connection.exec('COMMIT');
  } finally {
    if (connection.isTransaction) {
      connection.exec('ROLLBACK');
    }
  }
}

/** @throws When the file is a database of another program, or not a database. */
export function assertOwnDatabase(path: string): void {
  const connection = new DatabaseSync(path);
  try {
    if (readApplicationId(connection) !== APPLICATION_ID) {
      throw new Error('it is not a database of this service');
    }
  } finally {
    connection.close();
  }
}

function readApplicationId(connection: DatabaseSync): number {
  return Number(connection.prepare('PRAGMA application_id').get()?.['application_id']);
}

/**
 * Checks pages and tables. Comparing indexes with tables would take longer. The check reads every page, so it
 * has a connection of its own, whose memory is freed.
 *
 * @param timeoutMs - How long to wait for a lock of another process.
 * @throws When the file is damaged.
 */
export function assertSound(path: string, timeoutMs: number): void {
  const connection = new DatabaseSync(path, { timeout: timeoutMs });
  try {
    const { quick_check: finding } = connection.prepare('PRAGMA quick_check(1)').get() ?? {};
    if (finding !== 'ok') {
      throw new Error(`it is damaged: ${String(finding).replaceAll('\n', ' ')}`);
    }
  } finally {
    connection.close();
  }
}
