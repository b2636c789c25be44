import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailureReport } from '../../src/auth/failure-report.ts';
import type { UserId } from '../../src/model/user.ts';

const ann = { id: 1 as UserId, username: 'ann' };
const bob = { id: 2 as UserId, username: 'bob' };
const PAIRS_MAX = 100;
const USERS_MAX = 1_000;

const toUser = (id: number) => ({ id: id as UserId, username: `user-${id}` });

test('Failures are counted by user and network, and all unknown users of a network together', () => {
  const failures = createFailureReport();
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

test(`Beyond ${PAIRS_MAX} networks, all other failures of unknown users are counted together`, () => {
  const failures = createFailureReport();
  for (let number = 0; number < PAIRS_MAX + 50; number += 1) {
    failures.add(undefined, `192.0.2.${number}`);
  }
  failures.add(undefined, '192.0.2.0');
  const taken = failures.take();
  assert.equal(taken.length, PAIRS_MAX + 1);
  assert.deepEqual([taken[0], taken.at(-1)], [
    { user: undefined, network: '192.0.2.0', count: 2 }, { user: undefined, network: '', count: 50 },
  ]);
});

test('After failures of unknown users from 1 000 networks, a user and the network are still counted', () => {
  const failures = createFailureReport();
  for (let number = 0; number < 1_000; number += 1) {
    failures.add(undefined, `10.0.${number >> 8}.${number & 255}`);
  }
  failures.add(ann, '192.0.2.1');
  failures.add(ann, '192.0.2.1');
  failures.add(undefined, '192.0.2.1');
  const taken = failures.take();
  assert.deepEqual(taken.filter(({ user }) => user === ann), [{ user: ann, network: '192.0.2.1', count: 2 }]);
  assert.equal(taken.length, PAIRS_MAX + 1);
  assert.equal(taken.reduce((sum, { count }) => sum + count, 0), 1_003);
});

test('After failures of 1 000 existing users, another user is still counted by name', () => {
  const failures = createFailureReport();
  for (let id = 10; id < 10 + USERS_MAX; id += 1) {
    failures.add(toUser(id), `10.0.${id >> 8}.${id & 255}`);
  }
  failures.add(ann, '192.0.2.1');
  failures.add(ann, '192.0.2.2');
  const taken = failures.take();
  assert.deepEqual(taken.filter(({ user }) => user === ann), [{ user: ann, network: '', count: 2 }]);
});

test('No number of attacked users makes more than a bounded number of groups, and none is lost', () => {
  const failures = createFailureReport();
  for (let id = 1; id <= 3_000; id += 1) {
    failures.add(toUser(id), `10.0.${id >> 8}.${id & 255}`);
  }
  const taken = failures.take();
  assert.equal(taken.length, PAIRS_MAX + USERS_MAX + 1);
  assert.equal(taken.reduce((sum, { count }) => sum + count, 0), 3_000);
  failures.restore(taken);
  assert.deepEqual(failures.take(), taken);
});

test('Restored failures are added to later failures', () => {
  const failures = createFailureReport();
  failures.add(ann, '192.0.2.1');
  const taken = failures.take();
  failures.add(ann, '192.0.2.1');
  failures.restore([...taken, { user: undefined, network: '', count: 7 }]);
  assert.deepEqual(failures.take(), [
    { user: ann, network: '192.0.2.1', count: 2 }, { user: undefined, network: '', count: 7 },
  ]);
});
