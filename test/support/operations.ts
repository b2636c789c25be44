/** Every operation of the service, as the programs assemble them. */
import { createVerifiedCache } from '../../src/auth/verified-cache.ts';
import type { Config } from '../../src/config.ts';
import { createLateDatabase } from '../../src/programs/database.ts';
import { assemble } from '../../src/programs/extras.ts';
import { createQueues } from '../../src/queues.ts';
import { defaultConfig } from './config.ts';

/** The operations with these settings. They are only described, so their parts do nothing. */
export async function operationsWith(config: Config) {
  const { database } = createLateDatabase();
  const [queues, verified] = [createQueues(config), createVerifiedCache(1, Date.now)];
  const { operations } = await assemble({ config, database, queues, verified, log: () => {} });
  return operations;
}

/** With default settings, for tests of pages. */
export const defaultOperations = await operationsWith(defaultConfig());

/** With default settings, and `/metrics`. */
export const operations = await operationsWith({ ...defaultConfig(), metrics: 'on' });

/** Method and path of each operation, such as `GET /api/v1/users`. */
export const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
