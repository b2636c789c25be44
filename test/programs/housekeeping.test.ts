/** The work that the server does without a request. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createFailureReport } from '../../src/auth/failure-report.ts';
import type { UserId } from '../../src/model/user.ts';
import { createAuditReader } from '../../src/extras/audit/store.ts';
import { runMaintenance, startHousekeeping } from '../../src/programs/housekeeping.ts';
import { createAuditStore } from '../../src/stores/audit.ts';
import { createTokenStore } from '../../src/stores/tokens.ts';
import { startService } from '../support/service.ts';
import { QUOTAS } from '../support/quotas.ts';

const RETENTION_SECONDS = 100;
const ADA = { id: 1 as UserId, username: 'ada' };

async function start(t: TestContext) {
  const service = await startService(t);
  const { database, failures, clock } = service;
  const parts = {
    database, tokens: createTokenStore(database, QUOTAS), audit: createAuditStore(database), failures,
    tokenRetentionSeconds: RETENTION_SECONDS, auditRetentionSeconds: 0, clock: () => clock.nowMs,
  };
  return { service, parts, as: await service.register('ada') };
}

for (const [title, end] of [
  ['expired', (seconds: number) => `?expiration=${seconds}`], ['was revoked', undefined],
] as const) {
  test(`the row of a token is removed at the end of the retention time after it ${title}`, async (t) => {
    const { service, parts, as } = await start(t);
    const token = await service.issueToken(as, end?.(10) ?? '?expiration=100000');
    service.clock.nowMs += 10_000;
    if (end === undefined) {
      await service.call('DELETE /api/v1/token', { as: token });
    }
    service.clock.nowMs += RETENTION_SECONDS * 1000;
    assert.equal(await runMaintenance(parts), 0);
    service.clock.nowMs += 1;
    assert.equal(await runMaintenance(parts), 1);
  });
}

test('a valid token is never removed, and the tokens of other users are not counted', async (t) => {
  const { service, parts, as } = await start(t);
  const token = await service.issueToken(as, '?expiration=1000000');
  service.clock.nowMs += 500_000_000;
  assert.equal(await runMaintenance(parts), 0);
  assert.equal((await service.call('GET /api/v1/user', { as: token })).status, 200);
});

const EVERYTHING = {
  action: undefined, userIds: [], since: undefined, sort: undefined, page: { number: 1, sizeMax: 1_000 },
};

async function readEvents({ parts }: Awaited<ReturnType<typeof start>>) {
  const { items } = await createAuditReader(parts.database).list(EVERYTHING);
  const events: { action: string; details: string }[] = JSON.parse(`[${items}]`);
  return events.map(
    ({ action, details }) => (details.startsWith('count=') ? `${action} ${details}` : action),
  );
}

test('an event is removed after the retention time, and the removal is an event', async (t) => {
  const world = await start(t);
  const { service, parts, as } = world;
  const auditRetentionSeconds = 1_000;
  service.clock.nowMs += 999_000;
  await service.issueToken(as);
  service.clock.nowMs += 1_000;
  await runMaintenance({ ...parts, auditRetentionSeconds });
  assert.deepEqual(await readEvents(world), ['user.create', 'token.create']);
  service.clock.nowMs += 10_000; // a hundredth of the retention time
  await runMaintenance({ ...parts, auditRetentionSeconds });
  const recorded = 'audit.delete count=1 before=2026-01-01T00:00:10.000Z';
  assert.deepEqual(await readEvents(world), ['token.create', recorded]);
  service.clock.nowMs += 1_100_000;
  await runMaintenance({ ...parts, auditRetentionSeconds });
  assert.deepEqual(await readEvents(world), ['audit.delete count=2 before=2026-01-01T00:18:30.000Z']);
  service.clock.nowMs += 1_100_000;
  await runMaintenance({ ...parts, auditRetentionSeconds });
  assert.deepEqual(await readEvents(world), [], 'the record of a removal is not worth a further one');
});

test('with a retention time of 0 events are kept forever', async (t) => {
  const world = await start(t);
  world.service.clock.nowMs += 100 * 365 * 86_400_000;
  await runMaintenance(world.parts);
  assert.deepEqual(await readEvents(world), ['user.create']);
});

test('450 events are removed in recorded batches of 100, with requests in between', async (t) => {
  const world = await start(t);
  const { service, parts, as } = world;
  await service.database.write([{
    sql: `
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 449)
      INSERT INTO audit_events
        (occurred_at, action, resource_type, resource_name, details, sign_in, request_id, address)
      SELECT '2025', 'user.update', 'user', '', '', 'none', '', '' FROM numbers`,
    parameters: [],
  }]);
  service.clock.nowMs += 2_000_000;
  const token = await service.issueToken(as);
  let batches = 0;
  let answeredAfter = 0;
  const request = service.call('GET /api/v1/user', { as: token }).then(() => { answeredAfter = batches; });
  const removeBefore: typeof parts.audit.removeBefore = async (...question) => {
    const removed = await parts.audit.removeBefore(...question);
    batches += 1;
    await new Promise((resolve) => setTimeout(resolve, 1)); // as long as a remote database takes
    return removed;
  };
  await runMaintenance({ ...parts, auditRetentionSeconds: 1_000, audit: { ...parts.audit, removeBefore } });
  await request;
  assert.equal(batches, 5);
  assert.ok(answeredAfter < batches, String(answeredAfter));
  const [kept, ...recorded] = await readEvents(world);
  assert.equal(kept, 'token.create');
  const counts = recorded.map((text) => /count=\d+/.exec(text)?.[0]);
  assert.deepEqual(counts, [...Array(4).fill('count=100'), 'count=50']);
});

test('failed sign-ins that cannot be recorded are recorded in the next round', async (t) => {
  const { parts } = await start(t);
  const insertFailures = async () => Promise.reject(new Error('locked'));
  parts.failures.add(ADA, '192.0.2.1');
  parts.failures.add(ADA, '192.0.2.1');
  await assert.rejects(runMaintenance({ ...parts, audit: { ...parts.audit, insertFailures } }), /locked/);
  parts.failures.add(ADA, '192.0.2.1');
  await runMaintenance(parts);
  const { items } = await createAuditReader(parts.database).list({
    ...EVERYTHING, action: 'sign_in.failures',
  });
  assert.equal(JSON.parse(items).details, 'count=3');
});

test('1050 rows are removed in batches of 100, with a request in between', async (t) => {
  const { service, parts, as } = await start(t);
  const token = await service.issueToken(as, '?expiration=1000000');
  await service.database.write([{
    sql: `
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1050)
      INSERT INTO tokens (digest, user_id, name, last_four, scope, date_created, expires_at, revoked_at)
      SELECT 'd' || n, 1, '', '', 'full', '2025', CASE n % 2 WHEN 0 THEN '2025' ELSE '2030' END,
        CASE n % 2 WHEN 0 THEN NULL ELSE '2025' END
      FROM numbers`,
    parameters: [],
  }]);
  const batches: number[] = [];
  let answeredAfter = 0;
  const request = service.call('GET /api/v1/user', { as: token })
    .then(() => { answeredAfter = batches.length; });
  const removeEnded: typeof parts.tokens.removeEnded = async (before, countMax) => {
    const removed = await parts.tokens.removeEnded(before, countMax);
    batches.push(removed);
    await new Promise((resolve) => setTimeout(resolve, 1)); // as long as a remote database takes
    return removed;
  };
  assert.equal(await runMaintenance({ ...parts, tokens: { ...parts.tokens, removeEnded } }), 1050);
  await request;
  assert.deepEqual(batches, [...Array(10).fill(100), 50]);
  assert.ok(answeredAfter < batches.length, String(answeredAfter));
});

test('housekeeping stops after a last round, and reports its errors', async () => {
  const failures = createFailureReport();
  const rounds: string[] = [];
  const parts = {
    database: { trimLog: async () => { rounds.push('log'); } },
    tokens: {
      removeEnded: async () => { rounds.push('tokens'); return 0; },
    } as unknown as ReturnType<typeof createTokenStore>,
    audit: {
      insertFailures: async () => { throw new Error('out of order'); },
    } as unknown as ReturnType<typeof createAuditStore>,
    failures, tokenRetentionSeconds: 0, auditRetentionSeconds: 0, clock: () => 0,
  };
  const errors: unknown[] = [];
  await startHousekeeping(parts, (error) => errors.push(error))();
  failures.add(ADA, '192.0.2.1');
  await startHousekeeping(parts, (error) => errors.push(error))();
  assert.deepEqual([rounds, errors.map(String)], [['tokens', 'log'], ['Error: out of order']]);
});
