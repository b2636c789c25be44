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

// Two other files test `/readyz`: programs/shutdown.test.ts (start) and programs/upgrade.test.ts (upgrade).
api('GET /readyz is 503 as soon as the service shuts down, and GET /livez stays 200', async (service) => {
  for (const [path, status] of [['readyz', 'ready'], ['livez', 'live']] as const) {
    const { headers, json } = await service.expect(200, `GET /${path}`);
    assert.deepEqual([headers['cache-control'], json], ['no-store', { status }]);
  }
  service.services.lifeCycle.stage = 'draining';
  assert.deepEqual((await service.expect(503, 'GET /readyz')).json['failed_checks'], ['draining']);
  await service.expect(200, 'GET /livez');
});
