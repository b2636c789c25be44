import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailureCount } from '../../src/auth/throttle.ts';
import type { UserId } from '../../src/model/user.ts';

const ann = { id: 1 as UserId, username: 'ann' };
const bob = { id: 2 as UserId, username: 'bob' };
const GROUPS_MAX = 100;

test('Failures are counted by user and network, and all unknown users of a network together', () => {
  const failures = createFailureCount();
  for (const [user, address] of [
    [ann, '192.0.2.1'], [ann, '192.0.2.1'], [bob, '192.0.2.1'], [ann, '192.0.2.2'], [undefined, '192.0.2.1'],
    [undefined, '192.0.2.1'], [ann, '2001:db8::1'], [ann, '2001:db8::2'],
  ] as const) {
    failures.add(user, address);
  }
  assert.deepEqual(failures.take(), [
    { user: ann, network: '192.0.2.1', count: 2 },
    { user: bob, network: '192.0.2.1', count: 1 },
    { user: ann, network: '192.0.2.2', count: 1 },
    { user: undefined, network: '192.0.2.1', count: 2 },
    { user: ann, network: '2001:db8:0:0::/64', count: 2 },
  ]);
  assert.deepEqual(failures.take(), []);
});

test(`Beyond ${GROUPS_MAX} pairs of user and network, all other pairs are counted together`, () => {
  const failures = createFailureCount();
  for (let number = 0; number < GROUPS_MAX + 50; number += 1) {
    failures.add(undefined, `192.0.2.${number}`);
  }
  failures.add(undefined, '192.0.2.0');
  const taken = failures.take();
  assert.equal(taken.length, GROUPS_MAX + 1);
  assert.deepEqual([taken[0], taken.at(-1)], [
    { user: undefined, network: '192.0.2.0', count: 2 }, { user: undefined, network: '', count: 50 },
  ]);
});

test('Restored failures are added to later failures', () => {
  const failures = createFailureCount();
  failures.add(ann, '192.0.2.1');
  const taken = failures.take();
  failures.add(ann, '192.0.2.1');
  failures.restore([...taken, { user: undefined, network: '', count: 7 }]);
  assert.deepEqual(failures.take(), [
    { user: ann, network: '192.0.2.1', count: 2 }, { user: undefined, network: '', count: 7 },
  ]);
});
