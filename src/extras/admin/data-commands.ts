/**
 * The commands that concern the data as a whole. Each returns the text that is printed, or
 * throws an error whose message says what failed. The code for SQLite files is imported where it is used: a
 * cluster does not need it, and older versions of Node.js write a warning when they load it.
 */
import { existsSync, linkSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { requireSchema, requireUpgradableSchema } from '../../database/create-schema.ts';
import type { Database } from '../../database/database.ts';
import { IN_MEMORY, type DatabaseLocation, type RqliteLocation } from '../../database/location.ts';
import { toTimestamp } from '../../model/clock.ts';
import { Failure } from '../../runtime.ts';
import { schema } from '../../stores/schema.ts';
import { reasonOf } from '../../telemetry/error-text.ts';
import { findInconsistencies } from '../data/consistency.ts';
import type { CommandContext, DatabaseOpeners, Given } from './command-line.ts';

/** As the name of a file. */
const STANDARD_OUTPUT = '-';

export async function backUp({ operand: file }: Given, { config }: CommandContext): Promise<string> {
  const source = toFile(config.database, 'back up');
  return explained(`Cannot back up "${source}" to "${file}"`, async () => {
    requireFile(source);
    if (file === STANDARD_OUTPUT) {
      await writeBackup(source);
      return '';
    }
    await createFile(file, (part) => copySoundly(source, part));
    return `Backed up "${source}" to "${file}"\n`;
  });
}

/**
 * Writes a checked copy to standard output. The copy lies next to the database, where the service may write,
 * and has no name any more while it is written: an interruption leaves no file.
 */
async function writeBackup(source: string): Promise<void> {
  if (process.stdout.isTTY) {
    throw new Failure('a backup is not readable: redirect standard output');
  }
  const part = `${source}.backup-${process.pid}`;
  try {
    await copySoundly(source, part);
    const handle = await open(part);
    removeDatabase(part);
    process.stdout.removeAllListeners('error'); // a reader that stops early does not get a whole backup
    await pipeline(handle.createReadStream(), process.stdout, { end: false });
  } finally {
    removeDatabase(part);
  }
}

export async function restore({ operand: file }: Given, context: CommandContext): Promise<string> {
  const { config, clock } = context;
  const target = toFile(config.database, 'restore');
  const { replaceDatabase } = await import('../data/backup.ts');
  const part = `${target}.restore-${process.pid}`;
  return explained(`Cannot restore "${file}"`, async () => {
    try {
      requireFile(file);
      await copySoundly(file, part);
      await requireRestorable(part, context);
      const aside = `${target}.before-${toTimestamp(clock()).replaceAll(':', '')}`;
      const wasThere = replaceDatabase(target, part, aside);
      return `Restored "${target}" from "${file}"${wasThere ? `; what was there is now "${aside}"` : ''}\n`;
    } finally {
      removeDatabase(part);
    }
  });
}

export async function check({ operand: file }: Given, context: CommandContext): Promise<string> {
  const { config } = context;
  const location = file === '' ? config.database : { driver: 'sqlite' as const, path: file };
  const name = location.driver === 'sqlite' ? `"${location.path}"` : 'the cluster';
  const faults = await explained(`Cannot check ${name}`, async () => {
    const damage = location.driver === 'sqlite' ? await findDamageOf(location.path) : [];
    return damage.length > 0 ? damage : withDatabase(location, context, async (database) => {
      const nodeFaults = location.driver === 'rqlite' ? await findFaultsOfNodes(location, database) : [];
      return [...nodeFaults, ...(await findInconsistencies(database))];
    });
  });
  if (faults.length > 0) {
    throw new Failure(`Problems in ${name}:\n${faults.join('\n')}`);
  }
  return 'No problems found\n';
}

/** Writes under a temporary name, then gives the file its name; fails if a file with this name exists. */
async function createFile(file: string, write: (part: string) => Promise<void>): Promise<void> {
  if (existsSync(file)) {
    throw new Failure('the file exists already');
  }
  if (!existsSync(dirname(resolve(file)))) {
    throw new Failure('no such folder');
  }
  const part = `${file}.part-${process.pid}`;
  try {
    await write(part);
    const { syncToDisk } = await import('../data/backup.ts');
    linkSync(part, file); // fails if the file exists by now
    syncToDisk(dirname(resolve(file)));
  } finally {
    removeDatabase(part);
  }
}

/**
 * Copies a database and checks the copy.
 *
 * @throws When the copy is damaged or not a database of this service; the original then has the same fault.
 */
async function copySoundly(from: string, to: string): Promise<void> {
  const { assertOwnDatabase } = await import('../../database/sqlite-files.ts');
  const { copyDatabase, findDamage } = await import('../data/backup.ts');
  assertOwnDatabase(from);
  await copyDatabase(from, to);
  const [damage] = findDamage(to);
  if (damage !== undefined) {
    throw new Failure(`it is damaged: ${damage}`);
  }
}

async function findDamageOf(path: string): Promise<readonly string[]> {
  requireFile(path);
  const { findDamage } = await import('../data/backup.ts');
  return findDamage(path);
}

async function findFaultsOfNodes(location: RqliteLocation, database: Database): Promise<readonly string[]> {
  const { findNodeFaults } = await import('../cluster/nodes.ts');
  return findNodeFaults({ location, database }, 'thorough');
}

async function withDatabase<Result>(
  location: DatabaseLocation,
  { openExistingDatabase }: DatabaseOpeners,
  action: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openExistingDatabase(location);
  try {
    await requireSchema(database, schema);
    return await action(database);
  } finally {
    await database.close();
  }
}

/** Refuses a file that the service cannot serve, not even after an upgrade. */
async function requireRestorable(
  path: string, { openExistingDatabase }: DatabaseOpeners,
): Promise<void> {
  const database = await openExistingDatabase({ driver: 'sqlite', path });
  try {
    await requireUpgradableSchema(database, schema);
  } finally {
    await database.close();
  }
}

/** Runs the action. If it fails, the error begins with `failure`, and the reason follows. */
async function explained<Result>(failure: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const isDefect = error instanceof TypeError;
    throw isDefect ? error : new Failure(`${failure}: ${reasonOf(error)}`, { cause: error });
  }
}

function toFile(location: DatabaseLocation, action: string): string {
  if (location.driver === 'rqlite') {
    throw new Failure(`Cannot ${action} a cluster: use rqlite itself (rqlite.io/docs/guides/backup)`);
  }
  if (location.path === IN_MEMORY) {
    throw new Failure(`Cannot ${action} a database in memory: name a file in DATABASE_URL`);
  }
  return resolve(location.path);
}

function requireFile(path: string): void {
  if (!existsSync(path)) {
    throw new Failure('no such file');
  }
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    rmSync(path + suffix, { force: true });
  }
}
