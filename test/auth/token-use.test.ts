import assert from 'node:assert/strict';
import { starting } from '../support/each.ts';
import { startWorld } from '../support/service.ts';
import { until } from '../support/until.ts';

const uses = starting(async (t) => {
  const world = await startWorld(t);
  const as = await world.issueToken(world.ada);
  const { mock: writes } = t.mock.method(world.services.tokens, 'recordUse');
  t.mock.method(performance, 'now', () => world.clock.nowMs);
  const readLastUse = async () =>
    (await world.expect(200, 'GET /api/v1/tokens/1', { as: world.ada })).json['last_used'];
  return { ...world, as, readLastUse, writes };
});

uses('The first use of a token is recorded, and later uses at most once a minute', async (world) => {
  const { as, clock, readLastUse, signIn, writes } = world;
  assert.equal(await readLastUse(), null);
  for (const [laterMs, count, time] of [
    [0, 1, '00:00'], [1, 1, '00:00'], [59_998, 1, '00:00'], [1, 2, '01:00'], [59_000, 2, '01:00'],
  ] as const) {
    clock.nowMs += laterMs;
    assert.deepEqual(await signIn(as), [200]);
    await Promise.all(writes.calls.map(({ result }) => result));
    assert.deepEqual([writes.callCount(), await readLastUse()], [count, `2026-01-01T00:${time}.000Z`]);
  }
});

uses('After a failed write, which is reported once, nothing is recorded for ten seconds', async (world) => {
  const { as, clock, logLines, signIn, writes } = world;
  const { promise, reject } = Promise.withResolvers<never>();
  [0, 1].forEach((call) => writes.mockImplementationOnce(() => promise, call));
  await signIn(as, as); // both writes have begun when the first write fails
  reject(new Error('full'));
  const countReports = () => logLines.filter((line) => line.includes('use of tokens not recorded')).length;
  await until(() => countReports() > 0);
  for (const [laterMs, count] of [[0, 2], [9_999, 2], [1, 3]] as const) {
    clock.nowMs += laterMs;
    assert.deepEqual(await signIn(as), [200]);
    assert.deepEqual([writes.callCount(), countReports()], [count, 1]);
  }
});

uses('While 100 writes hang, no use waits and none is recorded', async ({ as, expect, writes }) => {
  writes.mockImplementation(() => new Promise(() => {}));
  for (let count = 0; count < 150; count += 1) {
    const { json } = await expect(200, 'GET /api/v1/user', { as });
    assert.equal(json['token'].last_used, '2026-01-01T00:00:00.000Z');
  }
  assert.equal(writes.callCount(), 100);
});
