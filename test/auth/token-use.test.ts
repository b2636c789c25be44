/**
 * Tests that the use of a token is recorded, even if the write of an earlier use has failed or never ends.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import { toTimestamp, type Timestamp } from '../../src/model/clock.ts';
import { createToken, type Token } from '../../src/model/token.ts';
import type { User } from '../../src/model/user.ts';

const STARTED_AT_MS = Date.parse('2026-01-01T00:00:00Z');

/** @param outcomes - The outcome of each write, or `undefined` for a write that never completes. */
function start(t: TestContext, outcomes: readonly ('noted' | Error | undefined)[]) {
  const timeline = { recorded: [] as Timestamp[], errors: [] as string[], nowMs: 0 };
  t.mock.method(performance, 'now', () => timeline.nowMs);
  let lastUsed: Timestamp | undefined;
  const parts = {
    tokens: {
      findWithOwner: async () => ({ user: {} as User, token: { id: 1, lastUsed } as Token }),
      recordUse: async (_id: unknown, { at }: { at: Timestamp }) => {
        const outcome = outcomes[timeline.recorded.push(at) - 1];
        await (outcome === undefined ? new Promise(() => {}) : outcome);
        if (outcome instanceof Error) {
          throw outcome;
        }
      },
    },
    onUseUnrecorded: (error: unknown) => timeline.errors.push(String(error)),
    clock: () => STARTED_AT_MS + timeline.nowMs,
  };
  const authenticate = createAuthenticator(parts as never);
  /** @returns The time of the token's last use, according to the result of the sign-in. */
  const use = async (usedBefore?: Timestamp) => {
    lastUsed = usedBefore;
    const client = { address: '192.0.2.1', isWanted: () => true };
    const outcome = await authenticate(`Bearer ${createToken().text}`, client);
    assert(outcome.kind === 'done');
    return outcome.result.token?.lastUsed;
  };
  return { use, timeline };
}

test('The first use of a token is recorded, and later uses at most once a minute', async (t) => {
  const { use, timeline } = start(t, []);
  const [first, second] = [toTimestamp(STARTED_AT_MS), toTimestamp(STARTED_AT_MS + 60_000)];
  for (const [laterMs, before, expected] of [
    [0, undefined, first], [1, first, first], [59_998, first, first], [1, first, second],
  ] as const) {
    timeline.nowMs += laterMs;
    assert.equal(await use(before), expected);
  }
  assert.deepEqual(timeline.recorded, [first, second]);
});

test('After a failed write, which is reported once, nothing is recorded for ten seconds', async (t) => {
  const { use, timeline } = start(t, [new Error('full'), new Error('full'), 'noted']);
  await Promise.all([use(), use()]); // both writes have begun when the first write fails
  for (const [laterMs, count] of [[0, 2], [9_999, 2], [1, 3]] as const) {
    timeline.nowMs += laterMs;
    await use();
    assert.deepEqual([timeline.recorded.length, timeline.errors], [count, ['Error: full']]);
  }
});

test('While 100 writes hang, no use waits and none is recorded', async (t) => {
  const { use, timeline } = start(t, []);
  for (let count = 0; count < 150; count += 1) {
    assert.equal(await use(), toTimestamp(STARTED_AT_MS));
  }
  assert.equal(timeline.recorded.length, 100);
});
