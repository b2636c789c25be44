/**
 * Every operation of the service, as the programs assemble them, with default settings except `METRICS=on`.
 */
import { assembleOperations } from '../../src/programs/serve.ts';
import { defaultConfig } from './config.ts';

export const operations = assembleOperations({ ...defaultConfig(), metrics: 'on' }, async () => []);

/** All operations except `/metrics`, as with default settings, for tests of pages. */
export const { reportMetrics: _, ...defaultOperations } = operations;

/** Method and path of each operation, such as `GET /api/v1/users`. */
export const routes = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
