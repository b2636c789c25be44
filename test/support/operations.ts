import type { Config } from '../../src/config.ts';
import { createLateDatabase } from '../../src/programs/database.ts';
import { addOperations } from '../../src/programs/extras.ts';
import { defaultConfig } from './config.ts';

/** The database is never opened, because tests only read the descriptions of the operations. */
async function operationsWith(config: Config) {
  const { database } = createLateDatabase();
  const { operations } = await addOperations({ config, database, log: () => {} });
  return operations;
}

export const defaultOperations = await operationsWith(defaultConfig());

/** All settings have their default values, but `/metrics` is on. */
export const operations = await operationsWith({ ...defaultConfig(), metrics: 'on' });

export const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
