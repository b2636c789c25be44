import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGroups, type GroupItem, type GroupResult } from '../../../src/extras/cluster/groups.ts';

const LIMITS = { requestsMax: 1, itemsMax: 3, charactersMax: 100, waitingMax: 5 };

test('An item is sent at once while no request is on the way', async () => {
  const { ask, sent } = start();
  assert.equal(await ask('a'), 'outcome of a');
  assert.equal(await ask('b'), 'outcome of b');
  assert.deepEqual(sent, [['a'], ['b']]);
});

test('Items that arrive while a request is on the way share the next one, in order of arrival', async () => {
  const { ask, sent } = start();
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => ask(text)));
  assert.deepEqual(sent, [['a'], ['b', 'c', 'd'], ['e']]);
});

test('With two requests on the way at most, the third item waits', async () => {
  const { ask, sent } = start({ limits: { ...LIMITS, requestsMax: 2 } });
  await Promise.all(['a', 'b', 'c', 'd'].map((text) => ask(text)));
  assert.deepEqual(sent, [['a'], ['b'], ['c', 'd']]);
});

test('The same item is sent once for all that wait, and again for one that asks afterwards', async () => {
  const { ask, sent } = start();
  await Promise.all(['same', 'same', 'same'].map((text) => ask(text)));
  assert.deepEqual(sent, [['same'], ['same']]);
});

test('A request holds no more characters than allowed, but at least one item', async () => {
  const { ask, sent } = start();
  const [long, half] = ['x'.repeat(200), 'y'.repeat(60)];
  await Promise.all(['a', long, 'b', half, `${half}z`].map((text) => ask(text)));
  assert.deepEqual(sent, [['a'], [long], ['b', half], [`${half}z`]]);
});

test('Items without an outcome are sent alone, and the next request does not wait for them', async () => {
  const { ask, sent, alone, answerAlone } = start({ withoutOutcome: ['b'] });
  const outcomes = ['a', 'b', 'c', 'd', 'e'].map((text) => ask(text));
  assert.deepEqual(
    await Promise.all(outcomes.toSpliced(1, 1)), ['a', 'c', 'd', 'e'].map((text) => `outcome of ${text}`),
  );
  assert.deepEqual([sent, alone], [[['a'], ['b', 'c', 'd'], ['e']], ['b']]);
  answerAlone();
  assert.equal(await outcomes[1], 'outcome of b alone');
});

test('An item that fails alone fails for all who asked it', async () => {
  const { ask, answerAlone } = start({ withoutOutcome: ['b'], isFailing: true });
  const [, ...outcomes] = ['a', 'b', 'b'].map((text) => ask(text));
  answerAlone();
  assert.deepEqual((await Promise.allSettled(outcomes)).map(({ status }) => status), [
    'rejected', 'rejected',
  ]);
});

test('Items beyond those that may wait are turned away', async () => {
  const { ask } = start();
  const waiting = Array.from({ length: 6 }, (_, index) => ask(`item ${index}`)); // the first is on the way
  await assert.rejects(ask('one more'), { name: 'DatabaseUnavailableError', message: /More than 5/ });
  assert.equal((await Promise.all(waiting)).length, 6);
});

interface Situation {
  readonly limits?: typeof LIMITS;
  /** Texts of items that a group leaves without an outcome. */
  readonly withoutOutcome?: readonly string[];
  /** Whether these fail when they are sent alone. */
  readonly isFailing?: boolean;
}

function start({ limits = LIMITS, withoutOutcome = [], isFailing = false }: Situation = {}) {
  const sent: string[][] = [];
  const alone: string[] = [];
  const { promise, resolve: answerAlone } = Promise.withResolvers<void>();
  const send = createGroups<GroupItem, string>(limits, {
    async sendGroup(items) {
      sent.push(items.map(({ text }) => text));
      return items.map(({ text }): GroupResult<string> => withoutOutcome.includes(text)
        ? { kind: 'send-alone', mayBeApplied: false }
        : { kind: 'known', outcome: `outcome of ${text}` });
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
  return { ask: (text: string) => send({ key: text, text }), sent, alone, answerAlone };
}
