/** `/livez` and `/readyz`, for orchestrators and load balancers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schema } from '../../src/stores/schema.ts';
import { startService } from '../support/service.ts';

for (const [path, status] of [['/livez', 'live'], ['/readyz', 'ready']] as const) {
  test(`GET ${path} is 200 without credentials, and forbids caching`, async (t) => {
    const service = await startService(t);
    const answer = await service.call(`GET ${path}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { status });
    assert.equal(answer.headers['cache-control'], 'no-store');
  });
}

for (const [what, version] of [
  ['an earlier', schema.version - 1], ['a later', schema.version + 1],
] as const) {
  test(`GET /readyz is 503 while the tables are those of ${what} version`, async (t) => {
    const service = await startService(t);
    await service.database.write([{ sql: `PRAGMA user_version = ${version}`, parameters: [] }]);
    const { status, headers, json } = await service.call('GET /readyz');
    assert.equal(status, 503);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(json['type'], '/static/problems.html#not-ready');
    assert.deepEqual(json['failed_checks'], ['schema']);
  });
}

for (const stage of ['starting', 'upgrading'] as const) {
  test(`GET /readyz is 503 while the service is ${stage}, and GET /livez is 200`, async (t) => {
    const service = await startService(t);
    service.services.lifeCycle.startStage = stage;
    const { status, json } = await service.call('GET /readyz');
    assert.deepEqual([status, json['failed_checks']], [503, [stage]]);
    assert.equal((await service.call('GET /livez')).status, 200);
    service.services.lifeCycle.startStage = undefined;
    assert.equal((await service.call('GET /readyz')).status, 200);
  });
}

test('GET /readyz reports a shutdown at once, while other requests are still served', async (t) => {
  const service = await startService(t);
  assert.equal((await service.call('GET /readyz')).status, 200);
  service.services.lifeCycle.isEnding = true;
  const { status, json } = await service.call('GET /readyz');
  assert.deepEqual([status, json['failed_checks']], [503, ['draining']]);
  assert.equal((await service.call('GET /livez')).status, 200);
  assert.equal((await service.call('GET /')).status, 200);
});
