/** Tests `/livez` and `/readyz`, which orchestrators and load balancers poll. */
import assert from 'node:assert/strict';
import { schema } from '../../src/stores/schema.ts';
import { api } from '../support/service.ts';

for (const [path, status] of [['/livez', 'live'], ['/readyz', 'ready']] as const) {
  api(`GET ${path} is 200 without credentials, and forbids caching`, async (service) => {
    const answer = await service.expect(200, `GET ${path}`);
    assert.deepEqual(answer.json, { status });
    assert.equal(answer.headers['cache-control'], 'no-store');
  });
}

for (const [what, version] of [
  ['an earlier', schema.version - 1], ['a later', schema.version + 1],
] as const) {
  api(`GET /readyz is 503 while the tables are those of ${what} version`, async (service) => {
    await service.database.write([{ sql: `PRAGMA user_version = ${version}`, parameters: [] }]);
    const { headers, json } = await service.expect(503, 'GET /readyz');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(json['type'], '/static/problems.html#not-ready');
    assert.deepEqual(json['failed_checks'], ['schema']);
  });
}

for (const [title, failed, stage] of [
  ['starts', 'starting', { startStage: 'starting' }], ['upgrades', 'upgrading', { startStage: 'upgrading' }],
  ['shuts down', 'draining', { isEnding: true }],
] as const) {
  api(`While the service ${title}, only GET /readyz is 503, from the first moment`, async (service) => {
    const { expect, services: { lifeCycle } } = service;
    const usual = { startStage: undefined, ...lifeCycle };
    await expect(200, 'GET /readyz');
    Object.assign(lifeCycle, stage);
    assert.deepEqual((await expect(503, 'GET /readyz')).json['failed_checks'], [failed]);
    await expect(200, 'GET /livez');
    await expect(200, 'GET /');
    Object.assign(lifeCycle, usual);
    await expect(200, 'GET /readyz');
  });
}
