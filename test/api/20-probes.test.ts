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

for (const stage of ['starting', 'upgrading'] as const) {
  api(`GET /readyz is 503 while the service is ${stage}, and GET /livez is 200`, async (service) => {
    service.services.lifeCycle.startStage = stage;
    const { status, json } = await service.call('GET /readyz');
    assert.deepEqual([status, json['failed_checks']], [503, [stage]]);
    await service.expect(200, 'GET /livez');
    service.services.lifeCycle.startStage = undefined;
    await service.expect(200, 'GET /readyz');
  });
}

api('GET /readyz reports a shutdown at once, while other requests are still served', async (service) => {
  await service.expect(200, 'GET /readyz');
  service.services.lifeCycle.isEnding = true;
  const { status, json } = await service.call('GET /readyz');
  assert.deepEqual([status, json['failed_checks']], [503, ['draining']]);
  await service.expect(200, 'GET /livez');
  await service.expect(200, 'GET /');
});
