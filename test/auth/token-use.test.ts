import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createTokenUseNotes } from '../../src/auth/token-use.ts';
import type { Timestamp } from '../../src/model/clock.ts';
import type { TokenId } from '../../src/model/token.ts';

const ID = 1 as TokenId;
const USE = {
  at: '2026-01-01T00:01:00.000Z' as Timestamp, unlessSince: '2026-01-01T00:00:00.000Z' as Timestamp,
};

/** @param outcomes - The outcomes of the writes, in order; `undefined` is a write that never completes. */
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

test('each use is recorded while writes succeed', async (t) => {
  const { note, timeline } = start(t, 'noted', 'noted');
  await note();
  await note();
  assert.deepEqual([timeline.recorded, timeline.errors], [2, []]);
});

test('after a failed write, which is reported once, nothing is recorded for ten seconds', async (t) => {
  const { note, timeline } = start(t, new Error('full'), new Error('full'), 'noted');
  await Promise.all([note(), note()]); // both are in flight when the first fails
  await note();
  assert.deepEqual([timeline.recorded, timeline.errors], [2, ['Error: full']]);
  timeline.nowMs += 9_999;
  await note();
  assert.equal(timeline.recorded, 2);
  timeline.nowMs += 1;
  await note();
  assert.equal(timeline.recorded, 3);
});

test('a request waits one second for a write that hangs, and the next request does not wait', async (t) => {
  const { note, timeline } = start(t, undefined, undefined);
  const keepAlive = setTimeout(() => {}, 60_000); // keeps the process alive during the wait
  await note();
  clearTimeout(keepAlive);
  await note();
  assert.deepEqual([timeline.recorded, timeline.errors], [1, ['Error: No answer within 1000 ms']]);
});
