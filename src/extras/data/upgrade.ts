/**
 * Upgrades the tables of a SQLite file. A copy of the file is made first, under the lock that the upgrade
 * needs, so that it holds everything that was ever written with the earlier version. Going back means to put
 * the copy in place of the file.
 */
import { existsSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { planUpgrade, readSchemaVersion, type Schema } from '../../database/create-schema.ts';
import type { Statement } from '../../database/database.ts';
import { LOCK_RETRY_MS, SqliteConnection } from '../../database/sqlite-connection.ts';
import { isBusy, toDatabaseError } from '../../database/sqlite-errors.ts';
import { copyDatabase, syncToDisk } from './backup.ts';

/** How long to wait for another process that upgrades the same file. */
const UPGRADE_TIMEOUT_MS = 60_000;

/**
 * The free space that an upgrade needs, in sizes of the file: for the copy, for the write-ahead log, and for
 * the temporary file.
 */
const SPACE_FACTOR = 3;

interface FileUpgrade {
  readonly from: number;
  /** The file with the data as it was. */
  readonly copy: string;
}

/**
 * Upgrades a file of an earlier version. After an interruption at any moment, the file has either the old
 * version or the new one, whole.
 *
 * @param path - A database of this service.
 * @returns `undefined` when there was nothing to do.
 * @throws When the upgrade is not possible; then nothing was changed. The message says why.
 */
export async function upgradeFile(path: string, schema: Schema): Promise<FileUpgrade | undefined> {
  const connection = new SqliteConnection(path, 'full');
  try {
    if (await readOldVersion(connection, schema) === undefined) {
      return undefined;
    }
    useTemporaryFile(connection, dirname(path));
    await lock(connection);
    const from = await readOldVersion(connection, schema);
    if (from === undefined) {
      return undefined; // another process came first
    }
    const statements = planUpgrade(schema, from);
    requireSpace(path);
    const copy = findFreeName(`${path}.before-v${schema.version}`);
    await copyAndChange(connection, { path, copy, statements });
    return { from, copy };
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    connection.close(); // which undoes an open transaction
  }
}

/** The copy gets its name last, so that a start that fails again and again leaves no copies. */
async function copyAndChange(
  connection: SqliteConnection, { path, copy, statements }: {
    readonly path: string; readonly copy: string; readonly statements: readonly Statement[];
  },
): Promise<void> {
  const part = `${path}.before-upgrade`;
  rmSync(part, { force: true }); // what an interrupted upgrade left
  try {
    await copyDatabase(path, part);
    statements.forEach((statement) => connection.change(statement));
    renameSync(part, copy);
    syncToDisk(dirname(copy));
    connection.exec('COMMIT');
  } catch (error) {
    [part, copy].forEach((file) => rmSync(file, { force: true }));
    throw error;
  }
}

/** @returns The name, with a number if an earlier upgrade left a copy there. */
function findFreeName(name: string): string {
  let free = name;
  for (let count = 2; existsSync(free); count += 1) {
    free = `${name}-${count}`;
  }
  return free;
}

/** @returns The version of the tables, if there are any and it is an earlier one. */
async function readOldVersion(connection: SqliteConnection, schema: Schema): Promise<number | undefined> {
  const version = await readSchemaVersion({ read: async (statement) => connection.run(statement) });
  return version > 0 && version < schema.version ? version : undefined;
}

/**
 * Until a statement ends, SQLite keeps a copy of each page that it overwrites. A step overwrites whole
 * tables, so the copies go into a file next to the database, instead of into memory.
 */
function useTemporaryFile(connection: SqliteConnection, folder: string): void {
  connection.exec('PRAGMA temp_store = FILE');
  connection.exec(`PRAGMA temp_store_directory = '${folder.replaceAll("'", "''")}'`);
}

/** Takes the lock for writing, and waits for it without blocking the process. */
async function lock(connection: SqliteConnection): Promise<void> {
  const deadlineMs = performance.now() + UPGRADE_TIMEOUT_MS;
  for (;;) {
    try {
      return connection.beginWrite();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadlineMs) {
        throw error;
      }
      await pause(LOCK_RETRY_MS);
    }
  }
}

function requireSpace(path: string): void {
  const sizes = ['', '-wal'].map((end) => statSync(path + end, { throwIfNoEntry: false })?.size ?? 0);
  const needed = SPACE_FACTOR * sizes.reduce((sum, size) => sum + size, 0);
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < needed) {
    const [need, have] = [needed, bavail * bsize].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`);
    throw new Error(`the upgrade needs ${need} of free space, but there are ${have}`);
  }
}
