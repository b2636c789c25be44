import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createTokenUseNotes } from '../../src/auth/token-use.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import type { Token, TokenId } from '../../src/model/token.ts';
import type { UserId } from '../../src/model/user.ts';

const STARTED_AT_MS = Date.parse('2026-01-01T00:00:00Z');
const TOKEN: Token = {
  id: 1 as TokenId, userId: 1 as UserId, name: '', lastFour: 'abcd', scope: 'full',
  dateCreated: toTimestamp(STARTED_AT_MS), expiresAt: toTimestamp(STARTED_AT_MS), lastUsed: undefined,
  audience: undefined,
};

/** @param outcomes - The outcomes of the writes, in order; `undefined` is a write that never completes. */
function start(t: TestContext, outcomes: readonly ('noted' | Error | undefined)[]) {
  const timeline = { recorded: [] as string[], errors: [] as string[], nowMs: 1 };
  t.mock.method(performance, 'now', () => timeline.nowMs);
  const note = createTokenUseNotes(
    (_id, { at }) => {
      const outcome = outcomes[timeline.recorded.push(at) - 1];
      return outcome === undefined
        ? new Promise(() => {})
        : outcome === 'noted' ? Promise.resolve() : Promise.reject(outcome);
    },
    (error) => timeline.errors.push(String(error)),
    () => STARTED_AT_MS - 1 + timeline.nowMs,
  );
  return { note, timeline };
}

test('The first use of a token is recorded, and later uses at most once a minute', (t) => {
  const { note, timeline } = start(t, []);
  let token = TOKEN;
  for (const laterMs of [0, 1, 59_998]) {
    timeline.nowMs += laterMs;
    token = note(token);
    assert.equal(token.lastUsed, toTimestamp(STARTED_AT_MS));
  }
  timeline.nowMs += 1;
  assert.equal(note(token).lastUsed, toTimestamp(STARTED_AT_MS + 60_000));
  assert.deepEqual(timeline.recorded, [toTimestamp(STARTED_AT_MS), toTimestamp(STARTED_AT_MS + 60_000)]);
});

test('After a failed write, which is reported once, nothing is recorded for ten seconds', async (t) => {
  const { note, timeline } = start(t, [new Error('full'), new Error('full'), 'noted']);
  note(TOKEN);
  note(TOKEN); // both are under way when the first fails
  await setImmediate();
  note(TOKEN);
  assert.deepEqual([timeline.recorded.length, timeline.errors], [2, ['Error: full']]);
  timeline.nowMs += 9_999;
  note(TOKEN);
  assert.equal(timeline.recorded.length, 2);
  timeline.nowMs += 1;
  note(TOKEN);
  assert.equal(timeline.recorded.length, 3);
});

test('While 100 writes hang, no use waits and none is recorded', (t) => {
  const { note, timeline } = start(t, []);
  for (let count = 0; count < 150; count += 1) {
    assert.equal(note(TOKEN).lastUsed, toTimestamp(STARTED_AT_MS));
  }
  assert.equal(timeline.recorded.length, 100);
});
