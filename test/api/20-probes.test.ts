/** Tests `/livez` and `/readyz`, which orchestrators and load balancers poll. */
import assert from 'node:assert/strict';
import { SCHEMA_VERSION } from '../../src/stores/schema.ts';
import { api } from '../support/service.ts';
import { sql } from '../support/sql.ts';

api.each('GET /readyz is 503 while the tables are those of {0} version', [
  ['an earlier', SCHEMA_VERSION - 1], ['a later', SCHEMA_VERSION + 1],
], async ({ database, expect }, [, version]) => {
  await database.write([sql(`PRAGMA user_version = ${version}`)]);
  const { headers, json } = await expect('503 not-ready', 'GET /readyz');
  assert.deepEqual([headers['cache-control'], json['failed_checks']], ['no-store', ['schema']]);
});

api.each('while the service {0}, only GET /readyz is 503, from the first moment', [
  ['starts', 'starting'], ['upgrades', 'upgrading'], ['shuts down', 'draining'],
] as const, async ({ expect, services: { lifeCycle } }, [, stage]) => {
  const { headers, json } = await expect(200, 'GET /readyz');
  assert.deepEqual([headers['cache-control'], json], ['no-store', { status: 'ready' }]);
  lifeCycle.stage = stage;
  assert.deepEqual((await expect(503, 'GET /readyz')).json['failed_checks'], [stage]);
  const live = await expect(200, 'GET /livez');
  assert.deepEqual([live.headers['cache-control'], live.json], ['no-store', { status: 'live' }]);
  await expect(200, 'GET /');
  lifeCycle.stage = 'serving';
  await expect(200, 'GET /readyz');
});
