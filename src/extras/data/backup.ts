/** Copies a SQLite file while other programs write. Each copy is private, checked, and synced to disk. */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { hasOwnTables } from '../../database/sqlite-files.ts';
import { findDamage } from './check.ts';

/** SQLite copies all pages in one step, so the copy is a snapshot even if other programs write. */
const ALL_PAGES = 2_147_483_647;

/**
 * The suffixes of the files that SQLite makes next to a database file. Without WAL, a crash during a write
 * leaves a file `…-journal`.
 */
export const COMPANIONS = ['-wal', '-shm', '-journal'];

/** The backup gets the name `file` only after all data is copied. */
export async function createBackup(source: string, file: string): Promise<void> {
  const folder = dirname(resolve(file));
  if (existsSync(file) || !existsSync(folder)) {
    throw new Error(existsSync(file) ? 'the file exists already' : 'no such folder');
  }
  await withSoundCopy(source, `${file}.part-${process.pid}`, (copy) => {
    linkSync(copy, file); // fails if another program has created the file
    syncToDisk(folder);
  });
}

/**
 * Sends a backup to standard output. The copy is made next to the database, because the service can write
 * there. The copy is opened, then deleted, then sent, so an interrupted backup leaves no file. A program can
 * still read a deleted file while the file is open.
 */
export async function sendBackup(source: string): Promise<void> {
  if (process.stdout.isTTY) {
    throw new Error('standard output is a terminal: redirect it to a file');
  }
  await withSoundCopy(source, `${source}.backup-${process.pid}`, async (copy) => {
    const handle = await open(copy);
    removeDatabase(copy);
    process.stdout.removeAllListeners('error'); // makes `pipeline` fail if the pipe closes early
    await pipeline(handle.createReadStream(), process.stdout, { end: false });
  });
}

/** Calls `use` with an intact copy, then removes the copy. @throws Error if the file `from` is unusable. */
export async function withSoundCopy<Result>(
  from: string, copy: string, use: (copy: string) => Result | Promise<Result>,
): Promise<Result> {
  if (!existsSync(from)) {
    throw new Error('no such file');
  }
  const source = new DatabaseSync(from);
  try {
    if (!hasOwnTables(source)) {
      throw new Error('it is not a database of this service');
    }
    await copyDatabase(source, copy);
    const [damage] = findDamage(copy);
    if (damage !== undefined) {
      throw new Error(`it is damaged: ${damage}`);
    }
    return await use(copy);
  } finally {
    source.close();
    removeDatabase(copy);
  }
}

export async function copyDatabase(source: DatabaseSync, to: string): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600));
  await backup(source, to, { rate: ALL_PAGES });
  syncToDisk(to);
}

/** @param path - A file, or a folder in which files were created or renamed. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

export function removeDatabase(path: string): void {
  ['', ...COMPANIONS].forEach((suffix) => rmSync(path + suffix, { force: true }));
}
