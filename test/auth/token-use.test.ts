import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createTokenUseNotes } from '../../src/auth/token-use.ts';
import type { Timestamp } from '../../src/model/clock.ts';
import type { TokenId } from '../../src/model/token.ts';

const ID = 1 as TokenId;
const USE = {
  at: '2026-01-01T00:01:00.000Z' as Timestamp, unlessSince: '2026-01-01T00:00:00.000Z' as Timestamp,
};

/** @param outcomes - The outcomes of the records in order; `undefined` never comes. */
function start(t: TestContext, ...outcomes: readonly ('noted' | Error | undefined)[]) {
  const timeline = { recorded: 0, errors: [] as string[], nowMs: 1 };
  t.mock.method(performance, 'now', () => timeline.nowMs);
  const note = createTokenUseNotes(
    () => {
      const outcome = outcomes[timeline.recorded++];
      return outcome === undefined
        ? new Promise(() => {})
        : outcome === 'noted' ? Promise.resolve() : Promise.reject(outcome);
    },
    (error) => timeline.errors.push(String(error)),
  );
  return { note: () => note(ID, USE), timeline };
}

test('each use is recorded while that works', async (t) => {
  const { note, timeline } = start(t, 'noted', 'noted');
  await note();
  await note();
  assert.deepEqual([timeline.recorded, timeline.errors], [2, []]);
});

test('a failure is reported once, and nothing is recorded for ten seconds', async (t) => {
  const { note, timeline } = start(t, new Error('full'), new Error('full'), 'noted');
  await Promise.all([note(), note()]); // both under way before the first one fails
  await note();
  assert.deepEqual([timeline.recorded, timeline.errors], [2, ['Error: full']]);
  timeline.nowMs += 9_999;
  await note();
  assert.equal(timeline.recorded, 2);
  timeline.nowMs += 1;
  await note();
  assert.equal(timeline.recorded, 3);
});

test('a request waits one second for a record that does not come, the next one not at all', async (t) => {
  const { note, timeline } = start(t, undefined, undefined);
  const keepAlive = setTimeout(() => {}, 60_000); // the wait itself does not keep a process from ending
  await note();
  clearTimeout(keepAlive);
  await note();
  assert.deepEqual([timeline.recorded, timeline.errors], [1, ['Error: No answer within 1000 ms']]);
});
