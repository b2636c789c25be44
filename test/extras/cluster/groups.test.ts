import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../../src/database/database.ts';
import { createGroups, type GroupItem } from '../../../src/extras/cluster/groups.ts';
import { each } from '../../support/each.ts';

const LIMITS = { requestsMax: 1, itemsMax: 3, pendingMax: 5 };

each('In an iteration of the event loop, {0}', [
  ['a lone item is sent although no other item arrives', [['a'], ['b']], [['a'], ['b']]],
  ['items share requests, in order, up to the limit of items',
    [['a', 'b', 'c', 'd', 'e']], [['a', 'b', 'c'], ['d', 'e']]],
  ['identical waiting items are sent once, an identical later item again',
    [['same', 'same', 'same'], ['same']], [['same'], ['same']]],
], async ([, turns, requests]) => {
  const { ask, sent } = start();
  for (const texts of turns) {
    const outcomes = await Promise.all(texts.map((text) => ask(text)));
    assert.deepEqual(outcomes, texts.map((text) => `outcome of ${text}`));
  }
  assert.deepEqual(sent, requests);
});

each('While no answer arrives, {0}', [
  ['items that arrive while a request is in flight share the next request', 1,
    [['a'], ['b', 'c']], [['a'], ['b', 'c']]],
  ['with at most two requests in flight, items that arrive later wait', 2,
    [['a'], ['b'], ['c'], ['d']], [['a'], ['b'], ['c', 'd']]],
  ['an item never joins an identical item that has been sent', 1, [['same'], ['same']], [['same'], ['same']]],
], async ([, requestsMax, turns, requests]) => {
  const { ask, sent, answerGroups } = start({ limits: { ...LIMITS, requestsMax }, holdsGroups: true });
  const outcomes: Promise<string>[] = [];
  for (const texts of turns) {
    outcomes.push(...texts.map(ask));
    await nextTurn();
  }
  assert.deepEqual(sent, requests.slice(0, requestsMax));
  answerGroups();
  await Promise.all(outcomes);
  assert.deepEqual(sent, requests);
});

test('Items without an outcome are retried alone, and the next request does not wait for them', async () => {
  const { ask, sent, alone, answerAlone } = start({ withoutOutcome: ['b'] });
  const outcomes = ['a', 'b', 'c', 'd', 'e'].map((text) => ask(text));
  const expected = ['a', 'c', 'd', 'e'].map((text) => `outcome of ${text}`);
  assert.deepEqual(await Promise.all(outcomes.toSpliced(1, 1)), expected);
  assert.deepEqual([sent, alone], [[['a', 'b', 'c'], ['d', 'e']], ['b']]);
  answerAlone();
  assert.equal(await outcomes[1], 'outcome of b alone');
});

test('An item that fails alone fails for all its callers', async () => {
  const { ask, answerAlone } = start({ withoutOutcome: ['b'], isFailing: true });
  const outcomes = ['b', 'b'].map((text) => ask(text));
  answerAlone();
  const settled = await Promise.allSettled(outcomes);
  assert.deepEqual(settled.map(({ status }) => status), ['rejected', 'rejected']);
});

test('Items beyond the limit are refused, also while the others are in flight', async () => {
  const { ask, answerGroups } = start({ holdsGroups: true });
  const pending = Array.from({ length: 5 }, (_, index) => ask(`item ${index}`));
  const refusal = (error: Error) =>
    error instanceof DatabaseUnavailableError && /More than 5/.test(error.message);
  await assert.rejects(ask('one more'), refusal);
  await nextTurn();
  await assert.rejects(ask('one more'), refusal);
  answerGroups();
  assert.equal((await Promise.all(pending)).length, 5);
  assert.equal(await ask('one more'), 'outcome of one more');
});

/** `sendGroup` returns no outcome for items in `withoutOutcome`. `isFailing` makes `sendAlone` fail. */
function start({
  limits = LIMITS, withoutOutcome = [] as readonly string[], isFailing = false, holdsGroups = false,
} = {}) {
  const sent: string[][] = [];
  const alone: string[] = [];
  const { promise, resolve: answerAlone } = Promise.withResolvers<void>();
  const { promise: groupsAnswered, resolve: answerGroups } = Promise.withResolvers<void>();
  const send = createGroups<GroupItem & { readonly text: string }, string>(limits, {
    async sendGroup(items) {
      sent.push(items.map(({ text }) => text));
      await (holdsGroups && groupsAnswered);
      const outcomes = items.map(({ text }) =>
        withoutOutcome.includes(text) ? undefined : `outcome of ${text}`);
      return { outcomes, mayBeApplied: false };
    },
    async sendAlone({ text }) {
      alone.push(text);
      await promise;
      if (isFailing) {
        throw new Error(text);
      }
      return `outcome of ${text} alone`;
    },
  });
  return { ask: (text: string) => send({ key: text, text }), sent, alone, answerAlone, answerGroups };
}
