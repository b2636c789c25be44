/**
 * Upgrades the tables of a SQLite file, before the service opens it. An exclusive lock keeps all other
 * programs out. A program of the earlier version must neither write meanwhile, nor continue with tables that
 * it cannot read. A copy of the file is made under this lock, so that it holds everything that was ever
 * written with the earlier version. Going back means to put the copy in place of the file.
 */
import { existsSync, renameSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { planSchema, readSchemaVersion } from '../../database/create-schema.ts';
import type { Row } from '../../database/database.ts';
import { isBusy, toDatabaseError } from '../../database/sqlite-errors.ts';
import { assertSound, hasOwnTables } from '../../database/sqlite-files.ts';
import { schema } from '../../stores/schema.ts';
import type { Log } from '../../telemetry/log.ts';
import { copyDatabase, removeDatabase, syncToDisk } from './backup.ts';

/** How long to wait until no other program has the file open. */
const LOCK_TIMEOUT_MS = 60_000;
const LOCK_RETRY_MS = 50;

/**
 * The free space that an upgrade needs, in sizes of the file: for the copy, for the write-ahead log, and for
 * the temporary file.
 */
const SPACE_FACTOR = 3;

/** The most memory for pages of the file. */
const CACHE_KIB_MAX = 16_384;

/**
 * Upgrades a file of an earlier version, and leaves any other file to the program that opens it. After an
 * interruption at any moment, the file has either the old version or the new one, whole.
 *
 * @param log - Gets a line when the upgrade waits for another program, begins, and ends.
 * @throws When the upgrade is not possible; then nothing was changed. The message says why.
 */
export async function upgradeFile(path: string, log: Log, lockTimeoutMs = LOCK_TIMEOUT_MS): Promise<void> {
  const deadlineMs = performance.now() + lockTimeoutMs;
  for (let attempt = 1; await mayNeedUpgrade(path); attempt += 1) {
    try {
      return await upgradeExclusively(path, log);
    } catch (error) {
      if (!isBusy(error)) {
        throw toDatabaseError(error);
      }
      if (performance.now() > deadlineMs) {
        throw new Error('another program has the file open: stop that program first', { cause: error });
      }
    }
    if (attempt === 2) { // the first attempt may have met a program that only read the version
      log('warn', 'upgrade waits until another program has closed the database', { database: path });
    }
    await pause(LOCK_RETRY_MS);
  }
}

/**
 * @returns True for a file of an earlier version, and for a file that another program has locked. A file that
 *   cannot be read is left to the program that opens it, which says why.
 */
export async function mayNeedUpgrade(path: string): Promise<boolean> {
  try {
    return existsSync(path) && isOlder(await readVersion(path));
  } catch (error) {
    return isBusy(error);
  }
}

async function upgradeExclusively(path: string, log: Log): Promise<void> {
  const connection = new DatabaseSync(path); // which enforces foreign keys
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE'); // with a write-ahead log, from the first read on
    const from = await readVersionOf(connection);
    connection.exec('BEGIN EXCLUSIVE; COMMIT'); // without such a log
    if (!isOlder(from)) {
      return; // another program came first
    }
    const changes = planSchema(schema, from).map(({ sql }) => sql);
    requireSpace(path);
    const versions = { from, schema_version: schema.version };
    log('info', 'upgrading database', { ...versions, bytes: sizeOf(path) });
    const begunAtMs = performance.now();
    const copy = await copyAndChange(connection, changes, path);
    const seconds = Math.round(performance.now() - begunAtMs) / 1000;
    log('info', 'database upgraded', { ...versions, seconds, copy });
  } finally {
    connection.close(); // which undoes an open transaction
  }
}

/** The copy gets its name last, so that a start that fails again and again leaves no copies. */
async function copyAndChange(
  connection: DatabaseSync, changes: readonly string[], path: string,
): Promise<string> {
  const part = `${path}.before-upgrade`;
  const copy = findFreeName(`${path}.before-v${schema.version}`);
  const folder = dirname(path);
  removeDatabase(part); // what an interrupted upgrade left
  try {
    assertSound(connection); // and so is the copy
    await copyDatabase(connection, part);
    // Until a statement ends, SQLite keeps a copy of each page that it overwrites. A step overwrites whole
    // tables, so the copies go into a file next to the database, instead of into memory. A read-only
    // container has no other place.
    connection.exec(`
      PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB_MAX}; PRAGMA temp_store = FILE;
      PRAGMA temp_store_directory = '${folder.replaceAll("'", "''")}'; BEGIN`);
    changes.forEach((sql) => connection.exec(sql));
    renameSync(part, copy);
    syncToDisk(folder);
    connection.exec('COMMIT');
    return copy;
  } catch (error) {
    [part, copy].forEach(removeDatabase);
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

/** @returns The version of the tables, or 0 if there are none. */
export async function readVersion(path: string): Promise<number> {
  const connection = new DatabaseSync(path);
  return readVersionOf(connection).finally(() => connection.close());
}

async function readVersionOf(connection: DatabaseSync): Promise<number> {
  hasOwnTables(connection);
  return readSchemaVersion({ read: async ({ sql }) => connection.prepare(sql).all() as Row[] });
}

function isOlder(version: number): boolean {
  return version > 0 && version < schema.version;
}

function requireSpace(path: string): void {
  const needed = SPACE_FACTOR * sizeOf(path);
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < needed) {
    const [need, have] = [needed, bavail * bsize].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`);
    throw new Error(`the upgrade needs ${need} of free disk space, but only ${have} are free`);
  }
}

/** The size of a database, with its write-ahead log. */
function sizeOf(path: string): number {
  const sizes = ['', '-wal'].map((end) => statSync(path + end, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
