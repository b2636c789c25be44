/** Tests housekeeping: the work that the server does without a request. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { UserId } from '../../src/model/user.ts';
import { createAuditReader } from '../../src/extras/audit/store.ts';
import {
  runHousekeeping, startHousekeeping, type HousekeepingParts,
} from '../../src/programs/housekeeping.ts';
import { housekeepingOf } from '../support/housekeeping.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { startService } from '../support/service.ts';
import { sql } from '../support/sql.ts';

const ADA = { id: 1 as UserId, username: 'ada' };
const DAY_MS = 86_400_000;
const TOKEN_RETENTION_MS = 30 * DAY_MS;

async function start(t: TestContext) {
  const service = await startService(t);
  const parts = housekeepingOf(service);
  const as = await service.register('ada');
  return { service, parts, as };
}

type World = Awaited<ReturnType<typeof start>>;

async function count({ service }: World, table: 'tokens' | 'audit_events'): Promise<number> {
  const [row] = await service.database.read(sql(`SELECT count(*) AS n FROM ${table}`));
  return Number(row?.['n']);
}

test('the row of a token is removed 30 days after it expired, that of a valid one never', async (t) => {
  const world = await start(t);
  const { service, parts, as } = world;
  const valid = await service.issueToken(as, '?expiration=31536000');
  await service.issueToken(as, '?expiration=10');
  service.clock.nowMs += 10_000 + TOKEN_RETENTION_MS;
  await runHousekeeping(parts);
  assert.equal(await count(world, 'tokens'), 2);
  service.clock.nowMs += 1;
  await runHousekeeping(parts);
  assert.equal(await count(world, 'tokens'), 1);
  await service.expect(200, 'GET /api/v1/user', { as: valid });
});

test('a revoked token has no row, and a new token takes two expired ones of the user away', async (t) => {
  const world = await start(t);
  const { service, as } = world;
  await service.call('DELETE /api/v1/token', { as: await service.issueToken(as) });
  assert.equal(await count(world, 'tokens'), 0);
  for (const [seconds, expected] of [[0, 1], [0, 2], [0, 3], [10, 2], [0, 2]] as const) {
    service.clock.nowMs += seconds * 1_000;
    await service.issueToken(as, '?expiration=10');
    assert.equal(await count(world, 'tokens'), expected);
  }
});

test('housekeeping continues the deletion of a user that was interrupted', async (t) => {
  const { service, parts, as } = await start(t);
  await service.createProject(as, 'engine');
  await service.database.write([sql('INSERT INTO deletions VALUES (?, NULL)', ADA.id)]);
  await runHousekeeping(parts);
  assert.equal(await service.services.users.find({ id: ADA.id }), undefined);
  assert.equal(await service.services.projects.find({ name: 'engine' }), undefined);
});

const EVERYTHING = {
  action: undefined, userIds: [], since: undefined, sort: undefined, page: { number: 1, sizeMax: 1_000 },
};

async function readEvents({ service }: World) {
  const { items } = await createAuditReader(service.database).list(EVERYTHING);
  const events: { action: string; details: string }[] = JSON.parse(`[${items}]`);
  return events.map(
    ({ action, details }) => (details.startsWith('count=') ? `${action} ${details}` : action),
  );
}

test('an event is removed after the retention time, and the removal is an event', async (t) => {
  const world = await start(t);
  const { service, as } = world;
  const parts = { ...world.parts, auditRetentionSeconds: 1_000 };
  service.clock.nowMs += 999_000;
  await service.issueToken(as);
  service.clock.nowMs += 1_000;
  await runHousekeeping(parts);
  assert.deepEqual(await readEvents(world), ['user.create', 'token.create']);
  service.clock.nowMs += 10_000; // a hundredth of the retention time passes
  await runHousekeeping(parts);
  const recorded = 'audit.delete count=1 before=2026-01-01T00:00:10.000Z';
  assert.deepEqual(await readEvents(world), ['token.create', recorded]);
  service.clock.nowMs += 1_100_000;
  await runHousekeeping(parts);
  assert.deepEqual(await readEvents(world), ['audit.delete count=2 before=2026-01-01T00:18:30.000Z']);
  service.clock.nowMs += 1_100_000;
  await runHousekeeping(parts);
  assert.deepEqual(await readEvents(world), [], 'the record of a removal is not worth a further one');
});

test('with a retention time of 0 events are kept forever', async (t) => {
  const world = await start(t);
  world.service.clock.nowMs += 100 * 365 * DAY_MS;
  await runHousekeeping(world.parts);
  assert.deepEqual(await readEvents(world), ['user.create']);
});

/** Starts a service with 450 events and 450 tokens that are older than their retention time. */
async function startWithBacklog(t: TestContext) {
  const world = await start(t);
  const numbers =
    'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 450)';
  await world.service.database.write([
    sql(`
      ${numbers} INSERT INTO tokens (digest, user_id, name, last_four, scope, date_created, expires_at)
      SELECT 'd' || n, 1, '', '', 'full', '2025', '2025-01-01T00:00:00.000Z' FROM numbers`),
    sql(`
      ${numbers} INSERT INTO audit_events
        (occurred_at, action, resource_type, resource_name, details, sign_in, request_id, address)
      SELECT '2025', 'user.update', 'user', '', '', 'none', '', '' FROM numbers`),
  ]);
  return world;
}

/** Calls `onBatch` after each batch that housekeeping deletes. */
function watchBatches(parts: HousekeepingParts, onBatch: (batches: number) => void | Promise<void>) {
  let batches = 0;
  const watch = async (removed: number) => {
    batches += 1;
    await onBatch(batches);
    return removed;
  };
  return {
    ...parts,
    auditRetentionSeconds: 1_000,
    tokens: {
      ...parts.tokens, removeEnded: async (...query) => watch(await parts.tokens.removeEnded(...query)),
    },
    audit: {
      ...parts.audit, removeBefore: async (...query) => watch(await parts.audit.removeBefore(...query)),
    },
  } satisfies HousekeepingParts;
}

test('a backlog is removed in batches of 100, with requests in between', async (t) => {
  const world = await startWithBacklog(t);
  const { service, parts, as } = world;
  service.clock.nowMs += 1_000;
  const statuses: number[] = [];
  await runHousekeeping(watchBatches(parts, async () => {
    statuses.push((await service.call('GET /api/v1/user', { as })).status);
  }));
  assert.deepEqual(statuses, Array(10).fill(200));
  assert.equal(await count(world, 'tokens'), 0);
  assert.deepEqual((await readEvents(world)).map((text) => text.replace(/ before=.*/, '')), [
    'user.create', ...Array(4).fill('audit.delete count=100'), 'audit.delete count=50',
  ]);
});

test('removals stop after the batch in which the process is asked to end, and continue later', async (t) => {
  const world = await startWithBacklog(t);
  const { service: { services: { lifeCycle } }, parts } = world;
  await runHousekeeping(watchBatches(parts, (batches) => { lifeCycle.isEnding = batches === 2; }));
  assert.deepEqual([await count(world, 'tokens'), await count(world, 'audit_events')], [250, 451]);
  lifeCycle.isEnding = false;
  await runHousekeeping({ ...parts, auditRetentionSeconds: 1_000 });
  assert.deepEqual([await count(world, 'tokens'), await count(world, 'audit_events')], [0, 6]);
});

test('failed sign-ins that cannot be recorded are recorded in the next round', async (t) => {
  const { parts, service } = await start(t);
  const insertFailures = async () => Promise.reject(new Error('locked'));
  parts.failures.add(ADA, '192.0.2.1');
  parts.failures.add(ADA, '192.0.2.1');
  await assert.rejects(runHousekeeping({ ...parts, audit: { ...parts.audit, insertFailures } }), /locked/);
  parts.failures.add(ADA, '192.0.2.1');
  await runHousekeeping(parts);
  const { items } = await createAuditReader(service.database).list({
    ...EVERYTHING, action: 'sign_in.failures',
  });
  assert.equal(JSON.parse(items).details, 'count=3');
});

test('the last round still records failed sign-ins, and reports its errors', async (t) => {
  const world = await start(t);
  const { parts, service } = world;
  service.services.lifeCycle.isEnding = true;
  const errors: unknown[] = [];
  const log: Log = (_level, message, fields) => errors.push([message, fields?.['error']]);
  const insertFailures = async () => Promise.reject(new Error('out of order'));
  parts.failures.add(ADA, '192.0.2.1');
  await startHousekeeping({ ...parts, log, audit: { ...parts.audit, insertFailures } })();
  assert.match(String(errors), /^housekeeping failed,Error: out of order\n/);
  assert.deepEqual(await readEvents(world), ['user.create']);
  await startHousekeeping({ ...parts, log })();
  assert.deepEqual([errors.length, await readEvents(world)], [
    1, ['user.create', 'sign_in.failures count=1'],
  ]);
});
