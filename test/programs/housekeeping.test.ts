import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createFailureReport } from '../../src/extras/audit/failure-report.ts';
import type { UserId } from '../../src/model/user.ts';
import {
  runHousekeeping, startHousekeeping, type HousekeepingParts,
} from '../../src/programs/housekeeping.ts';
import type { Overrides } from '../support/each.ts';
import { startService } from '../support/service.ts';
import { readColumn, sql } from '../support/sql.ts';
import { insertEvents } from '../support/stores.ts';

const ADA_ID = 1 as UserId;
const DAY_MS = 86_400_000;

async function start(t: TestContext, overrides?: Overrides) {
  const service = await startService(t, overrides);
  const { database, clock } = service;
  const as = await service.register('ada');
  const logged: unknown[] = [];
  const parts: HousekeepingParts = { ...service.housekeeping, log: (_level, ...line) => logged.push(line) };
  return {
    service, as, parts, logged, clock,
    async count(table: 'tokens' | 'audit_events'): Promise<number> {
      return Number((await readColumn(database, `SELECT count(*) FROM ${table}`))[0]);
    },
    async readEvents(): Promise<readonly string[]> {
      const rows = await database.read(sql('SELECT action, details FROM audit_events ORDER BY id'));
      return rows.map(({ action, details }) =>
        (String(details).startsWith('count=') ? `${action} ${details}` : String(action)));
    },
  };
}

test('the row of a token is removed 30 days after it expired, and never while it is valid', async (t) => {
  const { service, as, parts, clock, count } = await start(t);
  const valid = await service.issueToken(as, '?expiration=31536000');
  await service.issueToken(as, '?expiration=10');
  for (const [passedMs, expected] of [[10_000 + 30 * DAY_MS, 2], [1, 1]] as const) {
    clock.nowMs += passedMs;
    await runHousekeeping(parts);
    assert.equal(await count('tokens'), expected);
  }
  await service.expect(200, 'GET /api/v1/user', { as: valid });
});

test('a revoked token has no row; a new token removes up to two expired tokens of its user', async (t) => {
  const { service, as, clock, count } = await start(t);
  await service.call('DELETE /api/v1/token', { as: await service.issueToken(as) });
  assert.equal(await count('tokens'), 0);
  for (const [seconds, expected] of [[0, 1], [0, 2], [0, 3], [10, 2], [0, 2]] as const) {
    clock.nowMs += seconds * 1_000;
    await service.issueToken(as, '?expiration=10');
    assert.equal(await count('tokens'), expected);
  }
});

test('housekeeping continues the deletion of a user that was interrupted', async (t) => {
  const { service, as, parts } = await start(t);
  await service.createProject(as, 'engine');
  await service.database.write([sql('INSERT INTO deletions VALUES (?, NULL)', ADA_ID)]);
  await runHousekeeping(parts);
  assert.equal(await service.services.users.find({ id: ADA_ID }), undefined);
  assert.equal(await service.services.projects.find({ name: 'engine' }), undefined);
});

test('an event is removed after the retention time, and the removal is an event', async (t) => {
  const { service, as, parts, clock, readEvents } = await start(t, { auditRetentionSeconds: 1_000 });
  clock.nowMs += 999_000;
  await service.issueToken(as);
  for (const [passedMs, ...expected] of [
    [1_000, 'user.create', 'token.create'],
    // The clock advances by a hundredth of the retention time.
    [10_000, 'token.create', 'audit.delete count=1 before=2026-01-01T00:00:10.000Z'],
    [1_100_000, 'audit.delete count=2 before=2026-01-01T00:18:30.000Z'],
    [1_100_000], // removing an `audit.delete` event creates no new event
  ] as const) {
    clock.nowMs += passedMs;
    await runHousekeeping(parts);
    assert.deepEqual(await readEvents(), expected);
  }
});

test('with a retention time of 0 events are kept forever', async (t) => {
  const { parts, clock, readEvents } = await start(t);
  clock.nowMs += 100 * 365 * DAY_MS;
  await runHousekeeping(parts);
  assert.deepEqual(await readEvents(), ['user.create']);
});

/** Starts a service with 450 events and 450 tokens that are older than their retention time. */
async function startWithBacklog(t: TestContext, onBatch: (world: World, count: number) => unknown) {
  const world = await start(t, { auditRetentionSeconds: 1_000 });
  await world.service.database.write([insertEvents(450, '2025'), sql(`
    INSERT INTO tokens (digest, user_id, name, last_four, scope, date_created, expires_at)
    SELECT 'd' || id, 1, '', '', 'full', '2025', '2025-01-01T00:00:00.000Z' FROM audit_events LIMIT 450`)]);
  world.clock.nowMs += 1_000;
  const { tokens, removeOldEvents } = world.parts;
  assert(removeOldEvents !== undefined);
  let batches = 0;
  const watch = async <Result>(removed: Promise<Result>) => {
    const result = await removed;
    await onBatch(world, batches += 1);
    return result;
  };
  const parts: HousekeepingParts = {
    ...world.parts,
    tokens: { ...tokens, removeExpired: (...query) => watch(tokens.removeExpired(...query)) },
    removeOldEvents: async (...query) => watch(removeOldEvents(...query)),
  };
  const countRows = async () => [await world.count('tokens'), await world.count('audit_events')];
  return { ...world, parts, countRows };
}

type World = Awaited<ReturnType<typeof start>>;

test('a backlog is removed in batches of 100, with requests in between', async (t) => {
  const statuses: number[] = [];
  const { parts, countRows, readEvents } = await startWithBacklog(t, async ({ service, as }) => {
    statuses.push((await service.call('GET /api/v1/user', { as })).status);
  });
  await runHousekeeping(parts);
  assert.deepEqual([statuses, await countRows()], [Array(10).fill(200), [0, 6]]);
  assert.deepEqual((await readEvents()).map((text) => text.replace(/ before=.*/, '')), [
    'user.create', ...Array(4).fill('audit.delete count=100'), 'audit.delete count=50',
  ]);
});

test('removals stop after the batch in which the process is asked to end, and continue later', async (t) => {
  const { service: { services: { lifeCycle } }, parts, countRows } = await startWithBacklog(
    t, ({ service }, count) => { service.services.lifeCycle.stage = count === 2 ? 'draining' : 'serving'; },
  );
  await runHousekeeping(parts);
  assert.deepEqual(await countRows(), [250, 451]);
  lifeCycle.stage = 'serving';
  await runHousekeeping(parts);
  assert.deepEqual(await countRows(), [0, 6]);
});

test('the last round records failed sign-ins, or logs why not; the next records them too', async (t) => {
  const { parts, logged, service, readEvents } = await start(t);
  const { database, services: { lifeCycle, users } } = service;
  lifeCycle.stage = 'draining';
  let isLocked = true;
  const { onSignInFailure, recordFailures } = createFailureReport({
    ...database,
    write: async (batch) => (isLocked ? Promise.reject(new Error('locked')) : database.write(batch)),
  });
  const fail = async () => onSignInFailure(await users.find({ id: ADA_ID }), '192.0.2.1');
  await fail();
  await fail();
  await startHousekeeping({ ...parts, recordFailures })();
  assert.match(String(logged.splice(0)), /^housekeeping failed,\[object Object\]$/);
  assert.deepEqual(await readEvents(), ['user.create']);
  await fail();
  isLocked = false;
  await startHousekeeping({ ...parts, recordFailures })();
  assert.deepEqual([logged, await readEvents()], [[], ['user.create', 'sign_in.failures count=3']]);
});

test('each round logs the nodes of a cluster that are at fault', async (t) => {
  const { parts, logged } = await start(t);
  const database = { findNodeFaults: async () => ['a is down', 'b is down'] };
  await runHousekeeping({ ...parts, database });
  assert.deepEqual(logged, ['a is down', 'b is down'].map((fault) => ['database node at fault', { fault }]));
});
