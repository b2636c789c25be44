/** `GET /api/v1/summary`: the counts for the overview page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTimestamp } from '../../../src/model/clock.ts';
import { createAuditStore } from '../../../src/stores/audit.ts';
import { startService } from '../../support/service.ts';

const DAY_MS = 86_400_000;
const exactly = (count: number) => ({ count, relation: 'exact' });

test('a user sees the counts of their own projects and tokens, not of the service', async (t) => {
  const service = await startService(t);
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  await service.createProject(ada, 'engine');
  await service.createProject(eve, 'notes');
  await service.call('POST /api/v1/tokens', { as: ada, json: { expiration: 60 } });
  await service.call('POST /api/v1/tokens', { as: ada, json: { expiration: 8 * 86_400 } });
  await service.issueToken(eve);
  const { status, json, headers } = await service.call('GET /api/v1/summary', { as: ada });
  assert.equal(status, 200);
  assert.deepEqual(json, {
    own: { projects: exactly(1), tokens: exactly(2), tokens_expiring: exactly(1) },
  });
  const again = await service.call('GET /api/v1/summary', {
    as: ada, headers: { 'If-None-Match': String(headers['etag']) },
  });
  assert.equal(again.status, 304);
});

test('an administrator also sees the counts of the whole service', async (t) => {
  const service = await startService(t);
  const root = await service.registerAdministrator('root');
  service.clock.nowMs += DAY_MS;
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  await service.createProject(ada, 'engine');
  await service.call('POST /api/v1/tokens', { as: ada, json: { expiration: 20 * 86_400 } });
  await service.issueToken(eve);
  await service.call('PATCH /api/v1/users/eve', { as: root, json: { disabled: true } });
  const audit = createAuditStore(service.database);
  const midnightMs = service.clock.nowMs;
  const failures = (count: number) => [{ user: undefined, network: '192.0.2.7', count }];
  await audit.insertFailures(failures(100), toTimestamp(midnightMs - 1));
  await audit.insertFailures([...failures(4), ...failures(1)], toTimestamp(midnightMs));
  service.clock.nowMs += 3 * DAY_MS / 4;
  await service.register('zoe');
  const { json } = await service.call('GET /api/v1/summary', { as: root });
  const { registrations, ...numbers } = json['service'];
  assert.deepEqual(json['own'], { projects: exactly(0), tokens: exactly(0), tokens_expiring: exactly(0) });
  assert.deepEqual(numbers, {
    users: exactly(4), administrators: exactly(1), disabled_users: exactly(1), projects: exactly(1),
    tokens: exactly(1), tokens_expiring: exactly(0), failed_sign_ins: exactly(5),
  });
  assert.equal(registrations.length, 14);
  assert.deepEqual(registrations.slice(-3), [
    { date: '2025-12-31', ...exactly(0) }, { date: '2026-01-01', ...exactly(1) },
    { date: '2026-01-02', ...exactly(3) },
  ]);
});

test('expired and revoked tokens are not counted', async (t) => {
  const service = await startService(t);
  const root = await service.registerAdministrator('root');
  await service.issueToken(root, '?expiration=1');
  await service.issueToken(root);
  await service.call('DELETE /api/v1/tokens/2', { as: root });
  await service.issueToken(root);
  service.clock.nowMs += 1_000;
  const { own, service: all } = (await service.call('GET /api/v1/summary', { as: root })).json;
  assert.deepEqual([own.tokens, all.tokens, all.tokens_expiring], [exactly(1), exactly(1), exactly(1)]);
});
