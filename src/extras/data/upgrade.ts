/**
 * Upgrades the tables of a SQLite file before the service opens the file. An exclusive lock on the file keeps
 * out earlier versions of the service. Earlier versions must not write during the upgrade, and cannot read
 * the new tables. The locked file is copied, so the copy holds every write of the earlier version.
 *
 * SQLite blocks its thread while a statement runs. The upgrade runs in its own thread, so that the service
 * can answer `/livez` during the upgrade. An orchestrator kills a service that does not answer `/livez`.
 */
import { once } from 'node:events';
import { existsSync, renameSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isSea } from 'node:sea';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Row } from '../../database/database.ts';
import { isBusy, toDatabaseError } from '../../database/sqlite-errors.ts';
import { assertSound, hasOwnTables } from '../../database/sqlite-files.ts';
import { readSchemaVersion, SCHEMA_VERSION } from '../../stores/schema.ts';
import { reasonOf } from '../../telemetry/error-text.ts';
import type { Log } from '../../telemetry/log.ts';
import { COMPANIONS, copyDatabase, removeDatabase, syncToDisk } from './backup.ts';
import { needsUpgrade, planUpgrade } from './upgrade-steps.ts';

/** The maximum time that the upgrade waits for another program to close the file. */
const UPGRADE_LOCK_TIMEOUT_MS = 60_000;
const LOCK_RETRY_MS = 50;

/** @param file - The file can be missing. @throws Error if a necessary upgrade is not possible. */
export async function upgradeFile(file: string, log: Log): Promise<void> {
  const path = resolve(file);
  if (!(await mayNeedUpgrade(path))) {
    return;
  }
  try {
    // A thread cannot start if permissions forbid threads, or if the program is a single executable file.
    if (isSea() || process.permission?.has('worker') === false) {
      return await upgradeWhenUnlocked(path, log);
    }
    const thread = new Worker(new URL(import.meta.url), { workerData: { pathToUpgrade: path } });
    thread.on('message', (line: Parameters<Log>) => log(...line));
    await once(thread, 'exit'); // rejects if the thread reports an error
  } catch (error) {
    throw new Error(`Cannot upgrade the database "${path}": ${reasonOf(error)}`, { cause: error });
  }
}

/** After an interrupted upgrade, all tables are old or all are new. A failed upgrade changes no table. */
async function upgradeWhenUnlocked(path: string, log: Log): Promise<void> {
  const deadlineMs = performance.now() + UPGRADE_LOCK_TIMEOUT_MS;
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
    if (attempt === 2) { // a program that is reading the version can make attempt 1 fail
      log('warn', 'upgrade waits until another program has closed the database', { database: path });
    }
    await pause(LOCK_RETRY_MS);
  }
}

/** @returns True if the tables are old or the file is locked, but false if the file cannot be read. */
async function mayNeedUpgrade(path: string): Promise<boolean> {
  return existsSync(path) && readVersion(path).then(needsUpgrade, isBusy);
}

async function upgradeExclusively(path: string, log: Log): Promise<void> {
  const connection = new DatabaseSync(path); // enforces foreign keys
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE'); // in WAL mode, the next read locks the file
    const from = await readVersionOf(connection);
    connection.exec('BEGIN EXCLUSIVE; COMMIT'); // if WAL mode is off, `BEGIN EXCLUSIVE` locks the file
    if (!needsUpgrade(from)) {
      return; // another program has upgraded the file
    }
    const changes = planUpgrade(from);
    const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const bytes = statSync(path).size + logBytes;
    // The copy, the write-ahead log and a temporary file can each be as large as the database.
    requireSpace(dirname(path), 3 * bytes);
    const versions = { from, schema_version: SCHEMA_VERSION };
    log('info', 'upgrading database', { ...versions, bytes });
    const begunAtMs = performance.now();
    const copy = await copyAndChange(connection, changes, path);
    const seconds = Math.round(performance.now() - begunAtMs) / 1000;
    log('info', 'database upgraded', { ...versions, seconds, copy });
  } finally {
    connection.close(); // closing the connection also rolls back a transaction
  }
}

function requireSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < bytes) {
    const [needed, free] = [bytes, bavail * bsize].map((count) => `${Math.ceil(count / 1e6)} MB`);
    throw new Error(`the upgrade needs ${needed} of free disk space, but only ${free} are free`);
  }
}

/** The copy of the old file gets its final name after all changes, so failed upgrades leave no copies. */
async function copyAndChange(
  connection: DatabaseSync, changes: readonly string[], path: string,
): Promise<string> {
  const part = `${path}.before-upgrade`;
  const name = `${path}.before-v${SCHEMA_VERSION}`;
  let copy = name;
  for (let count = 2; ['', ...COMPANIONS].some((suffix) => existsSync(copy + suffix)); count += 1) {
    copy = `${name}-${count}`; // an earlier upgrade has used the previous name
  }
  const folder = dirname(path);
  removeDatabase(part); // an interrupted upgrade may have left this file
  try {
    assertSound(connection);
    await copyDatabase(connection, part);
    // Until a statement ends, SQLite keeps a copy of each page that the statement overwrites. An upgrade
    // overwrites whole tables, so SQLite keeps the copies of pages in a temporary file, not in memory. The
    // temporary file is in the folder of the database, because a read-only container can write only there.
    connection.exec(`
      PRAGMA synchronous = FULL; PRAGMA cache_size = -16384 /* KiB */; PRAGMA temp_store = FILE;
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

/** @returns The version of the tables in the file; 0 if there are no tables. */
export async function readVersion(path: string): Promise<number> {
  const connection = new DatabaseSync(path);
  return readVersionOf(connection).finally(() => connection.close());
}

async function readVersionOf(connection: DatabaseSync): Promise<number> {
  hasOwnTables(connection);
  return readSchemaVersion({ read: async ({ sql }) => connection.prepare(sql).all() as Row[] });
}

if (typeof workerData?.pathToUpgrade === 'string') { // true only in the upgrade thread
  await upgradeWhenUnlocked(workerData.pathToUpgrade, (...line) => parentPort?.postMessage(line));
}
