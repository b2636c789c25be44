import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThrottle, type Attempt, type Throttle, type Trip } from '../../src/auth/throttle.ts';

const LIMITS = { failuresPerNameMax: 3, failuresPerAddressMax: 5, windowSeconds: 10 };
const COUNTERS_MAX = 50_000;

const ann: Attempt = { address: '192.0.2.1', name: 'ann' };
const bob: Attempt = { address: '192.0.2.1', name: 'bob' };
const eve: Attempt = { address: '192.0.2.1', name: 'eve' };
const annElsewhere: Attempt = { address: '192.0.2.2', name: 'ann' };
const nobody: Attempt = { address: '192.0.2.1' };

for (const [failures, expected] of [[0, 0], [2, 0], [3, 10], [4, 10]] as const) {
  test(`After ${failures} failures for a name, with a limit of 3, the wait is ${expected} seconds`, () => {
    assert.equal(createWorld(repeat(ann, failures)).throttle.secondsToWait(ann), expected);
  });
}

for (const [elapsedMs, expected] of [
  [1, 10], [1000, 9], [8999, 2], [9000, 1], [9999, 1], [10_000, 0],
] as const) {
  test(`${elapsedMs} ms into a window of 10 seconds, the wait is ${expected} seconds`, () => {
    const { throttle, clock } = createWorld(repeat(ann, 3));
    clock.nowMs += elapsedMs;
    assert.equal(throttle.secondsToWait(ann), expected);
  });
}

test('A window begins with the first failure, and later failures do not prolong it', () => {
  const { throttle, clock } = createWorld([ann]);
  clock.nowMs += 9000;
  takeAll(throttle, repeat(ann, 2));
  assert.equal(throttle.secondsToWait(ann), 1);
});

test('A new window allows as many failures as the one before', () => {
  const { throttle, clock } = createWorld(repeat(ann, 3));
  clock.nowMs += 10_000;
  takeAll(throttle, repeat(ann, 2));
  assert.equal(throttle.secondsToWait(ann), 0);
  throttle.reserve(ann);
  assert.equal(throttle.secondsToWait(ann), 10);
});

test('Reading the wait is not counted as an attempt', () => {
  const { throttle } = createWorld(repeat(ann, 2));
  Array.from({ length: 20 }, () => throttle.secondsToWait(ann));
  assert.equal(throttle.secondsToWait(ann), 0);
});

test('A released reservation can be reserved again', () => {
  const { throttle } = createWorld(repeat(ann, 2));
  const release = throttle.reserve(ann);
  release();
  assert.equal(throttle.secondsToWait(ann), 0);
  throttle.reserve(ann);
  assert.equal(throttle.secondsToWait(ann), 10);
});

test('If all reservations are released, the next failure begins a new window', () => {
  const { throttle, clock } = createWorld([]);
  throttle.reserve(ann)();
  clock.nowMs += 9000;
  takeAll(throttle, repeat(ann, 3));
  assert.equal(throttle.secondsToWait(ann), 10);
});

test('Releasing a reservation after its window has no effect', () => {
  const { throttle, clock } = createWorld([]);
  const release = throttle.reserve(ann);
  clock.nowMs += 10_000;
  takeAll(throttle, repeat(ann, 2));
  release();
  assert.equal(throttle.secondsToWait(ann), 0);
  throttle.reserve(ann);
  assert.equal(throttle.secondsToWait(ann), 10);
});

for (const [title, attempts, asked, expected] of [
  ['a name is refused at the address that failed', repeat(ann, 3), ann, 10],
  ['the same name is admitted from another address', repeat(ann, 3), annElsewhere, 0],
  ['another name is admitted at the same address', repeat(ann, 3), bob, 0],
  ['an attempt without a name is admitted at the same address', repeat(ann, 3), nobody, 0],
  ['four failures of two names do not block the address', [...repeat(ann, 2), ...repeat(bob, 2)], nobody, 0],
  [
    'five failures of two names block a third name', [...repeat(ann, 2), ...repeat(bob, 3)], eve,
    10,
  ],
  [
    'five failures of two names block attempts without a name', [...repeat(ann, 2), ...repeat(bob, 3)],
    nobody, 10,
  ],
  ['five failures without a name block all names of the address', repeat(nobody, 5), ann, 10],
  ['five failures at an address do not block other addresses', repeat(nobody, 5), annElsewhere, 0],
  ['the empty name counts as a name', repeat({ ...ann, name: '' }, 3), nobody, 0],
] as const) {
  test(`Limits by name and address: ${title}`, () => {
    assert.equal(createWorld(attempts).throttle.secondsToWait(asked), expected);
  });
}

test('If both the name and the address are throttled, the longer wait is returned', () => {
  const { throttle, clock } = createWorld(repeat(bob, 2));
  clock.nowMs += 4000;
  takeAll(throttle, repeat(ann, 3));
  assert.equal(throttle.secondsToWait(ann), 10);
  assert.equal(throttle.secondsToWait(bob), 6);
});

for (const [one, other, isSame] of [
  ['2001:db8:1:2::1', '2001:db8:1:2::2', true],
  ['2001:db8:1:2:0:1::', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1', '2001:db8::2', true],
  ['2001:db8:1::5', '2001:db8:1:0:5:6:7:8', true],
  ['2001:db8::1', '2001:db8:0:0:1::', true],
  ['2001::5:1:2:3:4', '2001::6:1:2:3:4', false],
  ['2001:db8::1', '2001:db9::1', false],
  ['::1', '::2', true],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1', true],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['192.0.2.1', '192.0.2.10', false],
] as const) {
  test(`${one} and ${other} count as ${isSame ? 'one address' : 'two addresses'}`, () => {
    const { throttle } = createWorld(repeat({ address: one }, 5));
    assert.equal(throttle.secondsToWait({ address: other }) > 0, isSame);
  });
}

for (const [others, expected] of [[COUNTERS_MAX - 1, 10], [COUNTERS_MAX, 0]] as const) {
  test(`A throttled address is ${expected > 0 ? 'kept' : 'forgotten'} after ${others} others fail`, () => {
    const { throttle } = createWorld(repeat(nobody, 5));
    takeAll(throttle, toOthers(others));
    assert.equal(throttle.secondsToWait(nobody), expected);
  });
}

test('An address that fails again after its window is evicted by the age of its new window', () => {
  const { throttle, clock } = createWorld([...repeat(nobody, 5), ...toOthers(100, '10.1')]);
  clock.nowMs += 10_000;
  takeAll(throttle, [...repeat(nobody, 5), ...toOthers(COUNTERS_MAX - 1)]);
  assert.equal(throttle.secondsToWait(nobody), 10);
});

test('A throttled user stays throttled under a new name, and so does the old name', () => {
  const { throttle } = createWorld(repeat({ ...ann, userId: 1 }, 3));
  assert.equal(throttle.secondsToWait({ ...ann, name: 'anna', userId: 1 }), 10);
  assert.equal(throttle.secondsToWait(ann), 10); // the user id is not looked up yet
  assert.equal(throttle.secondsToWait({ ...annElsewhere, userId: 2 }), 0);
});

test('Unknown and known names are throttled at the same attempt', () => {
  const { throttle } = createWorld([], { ...LIMITS, failuresPerAddressMax: 100 });
  for (let failures = 0; failures <= 3; failures += 1) {
    assert.equal(throttle.secondsToWait(bob) > 0, throttle.secondsToWait({ ...ann, userId: 1 }) > 0);
    takeAll(throttle, failures < 3 ? [bob, { ...ann, userId: 1 }] : []);
  }
});

test('Only recent users of an address are exempt from its limit', () => {
  const { throttle, clock } = createWorld([]);
  throttle.remember({ ...ann, userId: 1 });
  takeAll(throttle, repeat(nobody, 5));
  const waits = [ann, bob, nobody, annElsewhere].map((attempt) => throttle.secondsToWait(attempt));
  assert.deepEqual(waits, [0, 10, 10, 0]);
  takeAll(throttle, repeat({ address: annElsewhere.address }, 5));
  assert.equal(throttle.secondsToWait(annElsewhere), 10); // her sign-in exempts her at its address only
  clock.nowMs += 5_000;
  assert.equal(throttle.secondsToWait(ann), 0);
});

test('The limit for a name also applies to recent users of an address', () => {
  const { throttle } = createWorld([]);
  throttle.remember(ann);
  takeAll(throttle, repeat(ann, 3));
  assert.equal(throttle.secondsToWait(ann), 10);
});

for (const [laterMs, expected] of [[86_399_999, 0], [86_400_000, 10]] as const) {
  test(`${laterMs} ms after a sign-in, the limit of the address imposes ${expected} seconds`, () => {
    const { throttle, clock } = createWorld([]);
    throttle.remember(ann);
    clock.nowMs += laterMs;
    takeAll(throttle, repeat(nobody, 5));
    assert.equal(throttle.secondsToWait(ann), expected);
  });
}

for (const [others, isKept] of [[19_999, true], [20_000, false]] as const) {
  test(`A sign-in is ${isKept ? 'remembered' : 'forgotten'} after ${others} later sign-ins`, () => {
    const { throttle } = createWorld([]);
    throttle.remember(ann);
    for (let number = 0; number < others; number += 1) {
      throttle.remember({ address: '192.0.2.1', name: `user ${number}` });
    }
    assert.equal(throttle.isRemembered(ann), isKept);
  });
}

for (const [title, failures, asked, expected] of [
  [
    'a known name', repeat({ ...ann, userId: 7 }, 3), [ann, ann, { ...ann, userId: 7 }],
    { limit: 'name', userId: 7 },
  ],
  ['an unknown name', repeat(ann, 3), [ann, ann], { limit: 'name', userId: undefined }],
  ['an address', repeat(nobody, 5), [eve, bob, nobody], { limit: 'address', userId: undefined }],
] as const) {
  test(`Reaching the limit of ${title} is reported once in a window, without the name`, () => {
    const { throttle, clock, trips } = createWorld(failures);
    assert.deepEqual(trips, []);
    asked.forEach((attempt) => throttle.secondsToWait(attempt));
    assert.deepEqual(trips, [{ network: '192.0.2.1', ...expected }]);
    clock.nowMs += 10_000;
    takeAll(throttle, failures);
    asked.forEach((attempt) => throttle.secondsToWait(attempt));
    assert.equal(trips.length, 2);
  });
}

function createWorld(attempts: readonly Attempt[], limits = LIMITS) {
  const clock = { nowMs: 1_000_000 };
  const now = () => clock.nowMs;
  const trips: Trip[] = [];
  const onTrip = (trip: Trip) => trips.push(trip);
  const throttle = createThrottle({ limits, clock: now, onTrip });
  takeAll(throttle, attempts);
  return { throttle, clock, trips };
}

function takeAll(throttle: Throttle, attempts: readonly Attempt[]): void {
  attempts.forEach((attempt) => throttle.reserve(attempt));
}

function toOthers(count: number, network = '10.0'): readonly Attempt[] {
  return Array.from(
    { length: count }, (_, index) => ({ address: `${network}.${index >> 8}.${index & 255}` }),
  );
}

function repeat(attempt: Attempt, times: number): readonly Attempt[] {
  return Array<Attempt>(times).fill(attempt);
}
