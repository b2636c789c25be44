/**
 * These commands concern the whole database. Some versions of Node.js print a warning when a program loads
 * `node:sqlite`, so a command loads this module only if necessary.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { IN_MEMORY, type DatabaseLocation } from '../../database/location.ts';
import { toTimestamp } from '../../model/clock.ts';
import { isBug } from '../../runtime.ts';
import { reasonOf } from '../../telemetry/error-text.ts';
import type { Command, CommandContext, Given } from './command-line.ts';

export const dataCommands: readonly Command[] = [
  {
    name: 'backup', takes: 'FILE',
    help: 'Copy the database to a new file (- means standard output); the service can keep running',
    run: backUp,
  },
  {
    name: 'restore', takes: 'FILE', help: 'Replace the database with a backup; stop the service first',
    run: restore,
  },
  {
    name: 'check', takes: '[FILE]',
    help: 'Check the file, the references between rows, and the data that is derived from rows',
    run: check,
  },
];

async function backUp({ operand: file }: Given, { config }: CommandContext): Promise<string> {
  const source = toFile(config.database, 'back up');
  return explained(`Cannot back up "${source}" to "${file}"`, async () => {
    const { createBackup, sendBackup } = await import('../data/backup.ts');
    if (file === '-') {
      await sendBackup(source);
      return '';
    }
    await createBackup(source, file);
    return `Backed up "${source}" to "${file}"\n`;
  });
}

async function restore({ operand: backup }: Given, { config, clock }: CommandContext): Promise<string> {
  const path = toFile(config.database, 'restore');
  const aside = `${path}.before-${toTimestamp(clock()).replaceAll(':', '')}`;
  return explained(`Cannot restore "${backup}"`, async () => {
    const { restoreDatabase } = await import('../data/restore.ts');
    const wasThere = await restoreDatabase({ backup, path, aside });
    return `Restored "${path}" from "${backup}"${wasThere ? `; the old database is now "${aside}"` : ''}\n`;
  });
}

async function check({ operand: file }: Given, context: CommandContext): Promise<string> {
  const location = file === '' ? context.config.database : { driver: 'sqlite' as const, path: file };
  const name = location.driver === 'sqlite' ? `"${location.path}"` : 'the cluster';
  const faults = await explained(`Cannot check ${name}`, () => findFaults(location, context));
  if (faults.length > 0) {
    throw new Error(`Problems in ${name}:\n${faults.join('\n')}`);
  }
  return 'No problems found\n';
}

async function findFaults(location: DatabaseLocation, context: CommandContext): Promise<readonly string[]> {
  const { findDamage, findInconsistencies } = await import('../data/check.ts');
  if (location.driver === 'sqlite') {
    if (!existsSync(location.path)) {
      throw new Error('no such file');
    }
    const damage = findDamage(location.path);
    if (damage.length > 0) {
      return damage;
    }
  }
  return context.withDatabase(location, async (database) => {
    const nodeFaults = await database.findNodeFaults?.('thorough') ?? [];
    return [...nodeFaults, ...(await findInconsistencies(database))];
  });
}

async function explained<Result>(failure: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw isBug(error) ? error : new Error(`${failure}: ${reasonOf(error)}`, { cause: error });
  }
}

function toFile(location: DatabaseLocation, action: string): string {
  if (location.driver === 'rqlite') {
    throw new Error(`Cannot ${action} a cluster: use the commands of rqlite (rqlite.io/docs/guides/backup)`);
  }
  if (location.path === IN_MEMORY) {
    throw new Error(`Cannot ${action} an in-memory database: set DATABASE_URL to the URL of a database file`);
  }
  return resolve(location.path);
}
