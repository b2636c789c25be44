/** Copies a SQLite file while others write it. Each copy is checked, private and on the disk. */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { hasOwnTables } from '../../database/sqlite-files.ts';
import { findDamage } from './check.ts';

/**
 * More pages than a file can have, so that the copy takes one step: such a copy is a snapshot, even if other
 * programs write.
 */
const ALL_PAGES = 2_147_483_647;

/**
 * The files of a database next to it: `-wal` holds the latest writes, and `-shm` is the index of `-wal`. A
 * process that was killed while it wrote without a write-ahead log leaves a `-journal`.
 */
export const COMPANIONS = ['-wal', '-shm', '-journal'];

/** Copies to a new file, which gets its name only when it is complete. */
export async function createBackup(source: string, file: string): Promise<void> {
  const folder = dirname(resolve(file));
  if (existsSync(file) || !existsSync(folder)) {
    throw new Error(existsSync(file) ? 'the file exists already' : 'no such folder');
  }
  await withSoundCopy(source, `${file}.part-${process.pid}`, (copy) => {
    linkSync(copy, file); // fails if the file exists by now
    syncToDisk(folder);
  });
}

/**
 * Copies to standard output. The copy is made next to the database, where the service may write. The name of
 * the copy is removed before its content is sent, so an interruption leaves no file.
 */
export async function sendBackup(source: string): Promise<void> {
  if (process.stdout.isTTY) {
    throw new Error('standard output is a terminal: redirect it to a file');
  }
  await withSoundCopy(source, `${source}.backup-${process.pid}`, async (copy) => {
    const handle = await open(copy);
    removeDatabase(copy);
    process.stdout.removeAllListeners('error'); // a reader that stops early does not get a whole backup
    await pipeline(handle.createReadStream(), process.stdout, { end: false });
  });
}

/**
 * Copies a file, uses the copy, and removes it unless `use` has moved it.
 *
 * @throws When the copy is damaged, like the original, or not a database of this service.
 */
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

/** @param to - A new file. When this returns, the file is on the disk, and only its owner can read it. */
export async function copyDatabase(source: DatabaseSync, to: string): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600));
  await backup(source, to, { rate: ALL_PAGES });
  syncToDisk(to);
}

/** @param path - A file, or a folder to sync the names in it. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

export function removeDatabase(path: string): void {
  ['', ...COMPANIONS].forEach((suffix) => rmSync(path + suffix, { force: true }));
}
