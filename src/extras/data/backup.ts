/** Copies a SQLite file while others write it. Each copy is checked, private and on the disk. */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { hasOwnTables } from '../../database/sqlite-files.ts';
import { findDamage } from './check.ts';

/** All pages are copied in one step, so the copy is a snapshot, even if other programs write. */
const ALL_PAGES = 2_147_483_647;

/** A process that is killed while it writes without a write-ahead log leaves a `-journal`. */
export const COMPANIONS = ['-wal', '-shm', '-journal'];

/** The new file gets its name only when it is complete. */
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
 * Makes a copy next to the database, where the service may write, and sends the copy to standard output. Its
 * name is removed before, so an interruption leaves no file.
 */
export async function sendBackup(source: string): Promise<void> {
  if (process.stdout.isTTY) {
    throw new Error('standard output is a terminal: redirect it to a file');
  }
  await withSoundCopy(source, `${source}.backup-${process.pid}`, async (copy) => {
    const handle = await open(copy);
    removeDatabase(copy);
    process.stdout.removeAllListeners('error'); // a reader that stops early is an error here
    await pipeline(handle.createReadStream(), process.stdout, { end: false });
  });
}

/**
 * Copies a file, and removes the copy after its use.
 *
 * @throws When the file is damaged, or is not a database of this service.
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

/** Only the owner of the new file can read it. */
export async function copyDatabase(source: DatabaseSync, to: string): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600));
  await backup(source, to, { rate: ALL_PAGES });
  syncToDisk(to);
}

/** @param path - A file, or a folder with new names. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

export function removeDatabase(path: string): void {
  ['', ...COMPANIONS].forEach((suffix) => rmSync(path + suffix, { force: true }));
}
