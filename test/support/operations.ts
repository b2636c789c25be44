/**
 * Every operation of the service, as the programs assemble them, with default settings except `METRICS=on`.
 */
import type { Config } from '../../src/config.ts';
import { IN_MEMORY } from '../../src/database/location.ts';
import { openDatabase } from '../../src/database/open.ts';
import { metricsOperations } from '../../src/extras/metrics/metrics.ts';
import { assembleOperations } from '../../src/programs/extras.ts';
import { defaultConfig } from './config.ts';

/** Operations that are only described read nothing from it. */
const database = await openDatabase({ driver: 'sqlite', path: IN_MEMORY });

/** @returns All operations except `/metrics`. */
export const operationsWith = (config: Config) => assembleOperations({
  config, database, log: () => {},
});

/** All operations except `/metrics`, as with default settings, for tests of pages. */
export const defaultOperations = operationsWith(defaultConfig());

export const operations = { ...defaultOperations, ...metricsOperations(undefined, () => []) };

/** Method and path of each operation, such as `GET /api/v1/users`. */
export const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
