/**
 * The commands of `admin.js` that concern the data as a whole. Each answers with what is printed, or throws with a sentence
 * that is. What handles SQLite files is imported where it is used: a cluster does not need it, and older versions of Node.js
 * write a warning when they load it.
 */
import { createReadStream, existsSync, linkSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { migrate, readSchemaVersion } from '../database/migrate.ts';
import { toTimestamp, type Clock } from '../model/clock.ts';
import { findInconsistencies } from '../stores/consistency.ts';
import { migrations } from '../stores/migrations.ts';
import { findNodeFaults } from '../extras/cluster/nodes.ts';
import { createRecordStore } from '../stores/records.ts';
import { openConfiguredDatabase } from './database.ts';
import { exportRecords } from './export.ts';
import { importRecords } from './import.ts';
import { startProgress } from './progress.ts';

interface DataParts {
  readonly location: Config['database'];
  readonly clock: Clock;
}

/** @param file - As given; empty where none was. */
type DataCommand = (file: string, parts: DataParts) => Promise<string>;

/** Whether a file must be given. */
export const DATA_COMMANDS: ReadonlyMap<string, { readonly run: DataCommand; readonly file: 'required' | 'optional' }> = new Map([
  ['backup', { run: backUp, file: 'required' }],
  ['restore', { run: restore, file: 'required' }],
  ['check', { run: check, file: 'optional' }],
  ['export', { run: exportTo, file: 'required' }],
  ['import', { run: importFrom, file: 'required' }],
]);

async function backUp(file: string, { location }: DataParts): Promise<string> {
  const source = toFile(location, 'back up');
  if (!existsSync(source)) {
    throw new Error(`Cannot back up "${source}": there is no such file`);
  }
  await createFile(file, (part) => copySoundly(source, part, 'Backing up'));
  return `Backed up "${source}" to "${file}"`;
}

async function restore(file: string, { location, clock }: DataParts): Promise<string> {
  const target = toFile(location, 'restore');
  const { replaceDatabase } = await import('../database/sqlite-files.ts');
  const part = `${target}.restore-${process.pid}`;
  try {
    if (!existsSync(file)) {
      throw new Error(`Cannot restore "${file}": there is no such file`);
    }
    await copySoundly(file, part, 'Restoring');
    await refuseOtherSchema(part, file);
    const aside = `${target}.before-${toTimestamp(clock()).replaceAll(':', '')}`;
    const wasThere = replaceDatabase(target, part, aside);
    return `Restored "${target}" from "${file}"${wasThere ? `; what was there is now "${aside}"` : ''}`;
  } finally {
    removeDatabase(part);
  }
}

async function check(file: string, { location }: DataParts): Promise<string> {
  const checked = file === '' ? location : { driver: 'sqlite' as const, path: file };
  const damage = checked.driver === 'sqlite' ? await findDamageOf(checked.path) : [];
  const faults = damage.length > 0 ? damage : await withDatabase(checked, async (database) => [
    ...(await findSchemaFault(database)),
    ...(checked.driver === 'rqlite' ? await findNodeFaults({ location: checked, database }, 'thorough') : []),
    ...(await findInconsistencies(database)),
  ]);
  if (faults.length > 0) {
    throw new Error(faults.join('\n'));
  }
  return 'Nothing is wrong';
}

async function exportTo(file: string, { location, clock }: DataParts): Promise<string> {
  await createFile(file, (part) => withDatabase(location, async (database) => {
    await refuseOldSchema(database);
    const handle = await open(part, 'wx', 0o600);
    try {
      for await (const text of exportRecords(createRecordStore(database), toTimestamp(clock()), startProgress)) {
        await handle.write(text);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  }));
  return `Exported to "${file}"`;
}

async function importFrom(file: string, { location, clock }: DataParts): Promise<string> {
  const pieces: Readable = createReadStream(file, 'utf8').on('error', () => {}); // it is thrown where it is read
  await new Promise((done, fail) => pieces.once('readable', done).once('error', (error) => fail(new Error(`Cannot read "${file}": ${codeOf(error)}`))));
  return withDatabase(location, async (database) => {
    await migrate(database, migrations, toTimestamp(clock()));
    const { total, known } = await importRecords(pieces, createRecordStore(database), startProgress);
    return `Imported ${total - known} records from "${file}"; ${known} were there already`;
  });
}

/** Writes a file in full before it has its name, which nobody must have until then. */
async function createFile(file: string, write: (part: string) => Promise<void>): Promise<void> {
  if (existsSync(file)) {
    throw new Error(`Cannot write "${file}": it exists already`);
  }
  const part = `${file}.part-${process.pid}`;
  try {
    await write(part);
    const { syncToDisk } = await import('../database/sqlite-files.ts');
    linkSync(part, file); // which fails where a file has come into being
    syncToDisk(dirname(resolve(file)));
  } finally {
    removeDatabase(part);
  }
}

/** @throws When the copy is damaged, as the original must be then. */
async function copySoundly(from: string, to: string, title: string): Promise<void> {
  const { copyDatabase, findDamage } = await import('../database/sqlite-files.ts');
  const progress = startProgress(title, statSync(from).size);
  await copyDatabase(from, to, (done, total) => progress.update(Math.round((done / total) * statSync(from).size)));
  progress.end();
  const [damage] = findDamage(to);
  if (damage !== undefined) {
    throw new Error(`Cannot use "${from}": it is damaged: ${damage}`);
  }
}

async function findDamageOf(path: string): Promise<readonly string[]> {
  if (!existsSync(path)) {
    throw new Error(`Cannot check "${path}": there is no such file`);
  }
  const { findDamage } = await import('../database/sqlite-files.ts');
  return findDamage(path);
}

/** Neither something else that SQLite can read, nor something that this program cannot. */
async function refuseOtherSchema(path: string, shownPath: string): Promise<void> {
  const version = await withDatabase({ driver: 'sqlite', path }, (database) => readSchemaVersion(database).catch(() => 0));
  if (version < 1) {
    throw new Error(`Cannot restore "${shownPath}": it is no database of this service`);
  }
  if (version > migrations.length) {
    throw new Error(`Cannot restore "${shownPath}": it has schema version ${version}, but this program knows only ${migrations.length}`);
  }
}

async function findSchemaFault(database: Database): Promise<readonly string[]> {
  const version = await readSchemaVersion(database);
  return version === migrations.length ? [] : [`it has schema version ${version}; this program checks version ${migrations.length}`];
}

async function refuseOldSchema(database: Database): Promise<void> {
  const [fault] = await findSchemaFault(database);
  if (fault !== undefined) {
    throw new Error(`Cannot export: ${fault}`);
  }
}

async function withDatabase<Result>(location: Config['database'], action: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openConfiguredDatabase(location);
  try {
    return await action(database);
  } finally {
    await database.close();
  }
}

function toFile(location: Config['database'], action: string): string {
  if (location.driver === 'rqlite') {
    throw new Error(`Cannot ${action} a cluster: use "admin.js export" and "import", or what rqlite has for it (rqlite.io/docs/guides/backup)`);
  }
  return resolve(location.path);
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    rmSync(path + suffix, { force: true });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
