/**
 * Every operation of the service with default settings, as the programs assemble them, `/metrics` included.
 */
import { assembleOperations } from '../../src/programs/operations.ts';
import { defaultConfig } from './config.ts';

export const operations = assembleOperations({ ...defaultConfig(), metrics: 'on' }, async () => []);

/** The same with default settings, for tests of pages. */
export const { reportMetrics: _, ...defaultOperations } = operations;

/** Method and path of each operation, such as `GET /api/v1/users`. */
export const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
