import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { PROGRAM } from '../../src/auth/client.ts';
import { createAuthenticator, type TokenSource } from '../../src/auth/authenticate.ts';
import { createPasswordCheck } from '../../src/auth/password-check.ts';
import { createVerifiedCache } from '../../src/auth/verified-cache.ts';
import { createPasswordHasher, type PasswordHasher } from '../../src/auth/password.ts';
import { createFailureReport } from '../../src/auth/failure-report.ts';
import { createThrottle } from '../../src/auth/throttle.ts';
import { createToken, toTokenDigest } from '../../src/auth/token.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { toNameKey, type NameKey } from '../../src/model/name.ts';
import type { Token, TokenId } from '../../src/model/token.ts';
import type { PasswordHash, User, UserId } from '../../src/model/user.ts';
import { createFairQueue } from '../../src/scheduling/fair-queue.ts';

const STARTED_AT_MS = Date.parse('2026-01-01T00:00:00Z');
const OLD_COST = { logN: 1, r: 1, p: 1 };
const COST = { logN: 1, r: 1, p: 2 };
const REJECTED = { kind: 'rejected' };

const ann: User = {
  id: 1 as UserId,
  username: 'Ann',
  email: 'ann@example.org',
  dateCreated: toTimestamp(STARTED_AT_MS),
  isAdmin: false,
  isDisabled: false,
  version: 1,
};
const TOKEN: Token = {
  id: 7 as TokenId, userId: ann.id, name: '', lastFour: 'abcd', scope: 'full',
  dateCreated: toTimestamp(STARTED_AT_MS), expiresAt: toTimestamp(STARTED_AT_MS), lastUsed: undefined,
  audience: undefined,
};
const right = basic('ann', 'secret');

for (const [title, authorization] of [
  ['no field', undefined],
  ['a malformed field', 'Basic ?'],
  ['an unknown user', basic('bob', 'secret')],
  ['a wrong password', basic('ann', 'Secret')],
  ['a malformed token', 'Bearer ann'],
  ['an unknown token', `Bearer ${createToken()}`],
  ['an unknown token in place of the username', basic(createToken(), '')],
  ['a username without a password', basic('ann', '')],
] as const) {
  test(`A sign-in with ${title} is rejected without a reason`, async () => {
    const { signIn } = await createWorld();
    assert.deepEqual(await signIn(authorization), REJECTED);
  });
}

for (const [name, isRight] of [
  ['Ann', true], ['aNN', true], ['7', true], ['bob', false], ['8', false], ['', false],
] as const) {
  test(`"${name}" with token 7 of Ann as the password is ${isRight ? 'Ann' : 'rejected'}`, async () => {
    const { signIn, token, checked } = await createWorld();
    const outcome = await signIn(basic(name, token));
    assert.equal(outcome.kind, isRight ? 'authenticated' : 'rejected');
    assert.deepEqual(checked, []);
  });
}

for (const username of ['Ann', 'ann', 'ANN']) {
  test(`"${username}" with the right password signs in as the user "Ann"`, async () => {
    const { signIn } = await createWorld();
    const caller = { signIn: 'password', user: ann, passwordVersion: 3 };
    assert.deepEqual(await signIn(basic(username, 'secret')), { kind: 'authenticated', caller });
  });
}

for (const [form, toField] of [
  ['Bearer token', (token: string) => `Bearer ${token}`],
  ['Basic token:', (token: string) => basic(token, '')],
] as const) {
  test(`"${form}" signs in as the owner of the token, and returns the record of the token`, async () => {
    const { signIn, token, tokenExpiresAtMs } = await createWorld();
    const now = toTimestamp(STARTED_AT_MS);
    const caller = { signIn: 'token', user: ann, token: {
      ...TOKEN, expiresAt: toTimestamp(tokenExpiresAtMs), lastUsed: now,
    } };
    assert.deepEqual(await signIn(toField(token)), { kind: 'authenticated', caller });
  });
}

test('The first use of a token is recorded, and later uses at most once a minute', async () => {
  const { signIn, token, clock, uses } = await createWorld();
  for (const laterMs of [0, 1, 59_998]) {
    clock.nowMs += laterMs;
    await signIn(`Bearer ${token}`);
  }
  assert.deepEqual(uses, [toTimestamp(STARTED_AT_MS)]);
});

test('A disabled user is refused after one password check, like an unknown user', async () => {
  const { signIn, checked, passwords, disable } = await createWorld();
  assert.equal((await signIn(right)).kind, 'authenticated');
  disable();
  assert.deepEqual(await signIn(right), REJECTED);
  assert.equal(checked.at(-1), passwords.decoy);
});

for (const [title, change] of [
  ['disabled', 'disable'], ['given another password', 'replacePassword'],
] as const) {
  test(`A user who is ${title} during the check of the right password is refused`, async () => {
    const world = await createWorld();
    const pending = world.signIn(right);
    assert.deepEqual([world.lookUps.length, world.checked.length], [1, 0]);
    world[change]();
    assert.deepEqual(await pending, REJECTED);
  });
}

test('A remembered password costs one look-up of the user, a checked one two', async () => {
  const { signIn, lookUps } = await createWorld();
  await signIn(right);
  assert.equal(lookUps.length, 2);
  await signIn(right);
  assert.equal(lookUps.length, 3);
});

test('Failed sign-ins are counted, but neither successful nor throttled ones', async () => {
  const { signIn, failures } = await createWorld();
  await signIn(right);
  for (const guess of toGuesses(15)) {
    await signIn(guess);
  }
  await signIn(basic('bob', 'wrong'));
  assert.deepEqual(failures.take(), [
    { user: ann, network: '192.0.2.1', count: 10 }, { user: undefined, network: '192.0.2.1', count: 1 },
  ]);
  assert.deepEqual(failures.take(), []);
});

test('A token is valid a millisecond before its expiration, and rejected at that moment', async () => {
  const { signIn, token, clock, tokenExpiresAtMs } = await createWorld();
  clock.nowMs = tokenExpiresAtMs - 1;
  assert.equal((await signIn(`Bearer ${token}`)).kind, 'authenticated');
  clock.nowMs = tokenExpiresAtMs;
  assert.deepEqual(await signIn(`Bearer ${token}`), REJECTED);
});

test('An unknown user costs one password check, like a known user with a wrong password', async () => {
  const { signIn, checked, passwords, stored } = await createWorld();
  await signIn(basic('bob', 'wrong'));
  await signIn(basic('ann', 'wrong'));
  assert.deepEqual(checked, [passwords.decoy, stored()]);
});

for (const username of ['ann', 'bob']) {
  test(`After 10 wrong passwords for "${username}" the right one is refused unchecked`, async () => {
    const { signIn, checked } = await createWorld();
    for (let number = 1; number <= 10; number += 1) {
      assert.deepEqual(await signIn(basic(username, `wrong ${number}`)), REJECTED);
    }
    assert.deepEqual(await signIn(basic(username, 'secret')), { kind: 'throttled', retryAfterSeconds: 300 });
    assert.equal(checked.length, 10);
  });
}

test('A cached password is refused while its user is throttled', async () => {
  const { signIn } = await createWorld();
  await signIn(right);
  await Promise.all(toGuesses(10).map((guess) => signIn(guess)));
  assert.equal((await signIn(right)).kind, 'throttled');
});

test('Of 60 concurrent guesses no more are checked than of sequential guesses', async () => {
  const { signIn, checked } = await createWorld();
  const kinds = (await Promise.all(toGuesses(60).map((guess) => signIn(guess)))).map(({ kind }) => kind);
  assert.equal(checked.length, 10);
  assert.deepEqual(kinds, [...Array(10).fill('rejected'), ...Array(50).fill('throttled')]);
});

test('A throttled user can sign in from another address, or with a token', async () => {
  const { signIn, token } = await createWorld();
  await Promise.all(toGuesses(10).map((guess) => signIn(guess)));
  assert.equal((await signIn(right, '192.0.2.2')).kind, 'authenticated');
  assert.equal((await signIn(`Bearer ${token}`)).kind, 'authenticated');
});

for (const [title, password, expected] of [
  ['right', 'secret', 'authenticated'],
  ['wrong', 'Secret', 'rejected'],
] as const) {
  test(`30 concurrent identical sign-ins with the ${title} password cost one check`, async () => {
    const { signIn, checked } = await createWorld();
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => signIn(basic('ann', password))));
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set([expected]));
    assert.equal(checked.length, 1);
  });
}

test('Identical concurrent guesses from two addresses cost two checks, one for each address', async () => {
  const { signIn, checked } = await createWorld();
  await Promise.all(['192.0.2.1', '192.0.2.2'].map((address) => signIn(basic('ann', 'wrong'), address)));
  assert.equal(checked.length, 2);
});

for (const [elapsedSeconds, checks] of [[59, 1], [60, 2]] as const) {
  test(`With a cache of 60 s, two sign-ins within ${elapsedSeconds} s cost ${checks} check(s)`, async () => {
    const { signIn, checked, clock } = await createWorld();
    await signIn(right);
    clock.nowMs += elapsedSeconds * 1000;
    await signIn(right);
    assert.equal(checked.length, checks);
  });
}

test('A wrong password is not cached', async () => {
  const { signIn, checked } = await createWorld();
  await signIn(basic('ann', 'wrong'));
  await signIn(basic('ann', 'wrong'));
  assert.equal(checked.length, 2);
});

test('After a password change the old password is refused at once, even if cached', async () => {
  const { signIn, setPassword } = await createWorld();
  await signIn(right);
  await setPassword('new');
  assert.deepEqual(await signIn(right), REJECTED);
  assert.equal((await signIn(basic('ann', 'new'))).kind, 'authenticated');
});

test('Right passwords are never throttled, cached or not', async () => {
  const { signIn, clock } = await createWorld({ verifiedSeconds: 0 });
  for (let number = 1; number <= 30; number += 1) {
    assert.equal((await signIn(right)).kind, 'authenticated');
    clock.nowMs += 1000;
  }
});

test('A right password whose stored hash has another cost signs in', async () => {
  const { signIn } = await createWorld({ cost: OLD_COST });
  assert.equal((await signIn(basic('ann', 'wrong'))).kind, 'rejected');
  assert.equal((await signIn(right)).kind, 'authenticated');
});

test('Checks that fail because of an outage do not count as wrong passwords', async () => {
  const { signIn, outages } = await createWorld();
  outages.add('verify');
  for (const guess of toGuesses(10)) {
    await assert.rejects(signIn(guess), /no memory/);
  }
  outages.delete('verify');
  assert.equal((await signIn(right)).kind, 'authenticated');
});

test('If the queue of checks is full the outcome is busy, and no failure is counted', async () => {
  const { signIn, throttle, queue } = await createWorld({ waitMsMax: 0 });
  for (let number = 1; number <= 2; number += 1) {
    void queue.run(() => new Promise(() => {}), PROGRAM);
  }
  for (const guess of toGuesses(20)) {
    assert.deepEqual(await signIn(guess), { kind: 'busy', retryAfterSeconds: 1 });
  }
  assert.equal(throttle.secondsToWait({ address: '192.0.2.1', name: 'ann' }), 0);
});

test('A throttled sign-in reads nothing from the database', async () => {
  const { signIn, lookUps } = await createWorld();
  await Promise.all(toGuesses(10).map((guess) => signIn(guess)));
  const before = lookUps.length;
  await Promise.all(toGuesses(50).map((guess) => signIn(guess)));
  assert.equal(lookUps.length, before);
});

test('A check is dropped when its client disconnects, unless another client waits for it', async () => {
  for (const [stayers, expected] of [
    [[false, false], 'busy'], [[false, true], 'rejected'], [[true, false], 'rejected'],
  ] as const) {
    const { signIn, queue, throttle } = await createWorld();
    const ends = [1, 2].map(() => Promise.withResolvers<void>());
    ends.forEach(({ promise }) => void queue.run(() => promise, PROGRAM));
    const attempts = stayers.map((stays) => signIn(basic('ann', 'wrong'), '192.0.2.1', () => stays));
    await setImmediate();
    ends.forEach(({ resolve }) => resolve());
    assert.deepEqual((await Promise.all(attempts)).map(({ kind }) => kind), [expected, expected]);
    Array.from({ length: 9 }, () => throttle.reserve({ address: '192.0.2.1', name: 'ann' }));
    assert.equal(throttle.secondsToWait({ address: '192.0.2.1', name: 'ann' }) > 0, expected === 'rejected');
  }
});

test('After 100 failures at an address, only recent users can sign in there', async () => {
  const { signIn, clock } = await createWorld({ verifiedSeconds: 0 });
  await signIn(right);
  for (const address of ['192.0.2.1', '192.0.2.2']) {
    for (let number = 0; number < 100; number += 1) {
      await signIn(basic(`user ${number}`, 'wrong'), address);
    }
  }
  clock.nowMs += 1000;
  assert.equal((await signIn(right)).kind, 'authenticated');
  assert.equal((await signIn(right, '192.0.2.2')).kind, 'throttled');
  const kinds = (await Promise.all(toGuesses(30).map((guess) => signIn(guess)))).map(({ kind }) => kind);
  assert.deepEqual(kinds, [...Array(10).fill('rejected'), ...Array(20).fill('throttled')]);
});

/**
 * An authenticator for one user, who has a password and a token that is valid for a minute. Throttled
 * attempts are refused for 300 seconds.
 */
async function createWorld({ cost = COST, verifiedSeconds = 60, waitMsMax = 5_000 } = {}) {
  const clock = { nowMs: STARTED_AT_MS };
  const now = () => clock.nowMs;
  const token = createToken();
  const tokenExpiresAtMs = STARTED_AT_MS + 60_000;
  const checked: string[] = [];
  const uses: string[] = [];
  const lookUps: string[] = [];
  let isDisabled = false;
  let passwordVersion = 3;
  let record: Token = { ...TOKEN, expiresAt: toTimestamp(tokenExpiresAtMs) };
  const outages = new Set<'verify'>();
  const queue = createFairQueue({ durationMsGuessed: 150, runningMax: 2, waitMsMax });
  const passwords = countChecks(createPasswordHasher(queue, COST), checked, outages);
  let stored = await hashWith(cost, 'secret');
  const users = {
    findWithPassword: async (name: NameKey) => {
      lookUps.push(name);
      const user = { ...ann, isDisabled };
      return name === toNameKey('ann') ? { user, passwordHash: stored, passwordVersion } : undefined;
    },
  };
  const tokens: TokenSource = {
    findWithOwner: async (digest, at) =>
      digest === toTokenDigest(token) && toTimestamp(tokenExpiresAtMs) > at
        ? { user: ann, token: record }
        : undefined,
    recordUse: async (_id, { at }) => {
      uses.push(at);
      record = { ...record, lastUsed: at };
    },
  };
  const throttle = createThrottle({
    limits: { failuresPerNameMax: 10, failuresPerAddressMax: 100, windowSeconds: 300 },
    clock: now, onTrip: () => {},
  });
  const verified = createVerifiedCache(verifiedSeconds, now);
  const failures = createFailureReport();
  const checkPassword = createPasswordCheck({
    passwords, throttle, verified, onFailure: failures.add,
  });
  const authenticate = createAuthenticator({
    users, tokens, onUseUnrecorded: () => {}, passwords, checkPassword, throttle,
    clock: now,
  });
  return {
    clock, token, tokenExpiresAtMs, throttle, passwords, queue, lookUps,
    /** The stored hashes that passwords were compared with, in order. */
    checked,
    /** The times at which a use of the token was recorded. */
    uses,
    failures,
    disable: () => {
      isDisabled = true;
    },
    replacePassword: () => {
      passwordVersion += 1;
    },
    stored: () => stored,
    /** The operations that fail while their names are in this set. */
    outages,
    setPassword: async (password: string) => {
      stored = await hashWith(COST, password);
    },
    signIn: (authorization: string | undefined, address = '192.0.2.1', isWanted = () => true) =>
      authenticate(authorization, { address, isWanted }),
  };
}

/** Wraps the real hasher, and records each stored hash that it compares. */
function countChecks(
  passwords: PasswordHasher, checked: string[], outages: ReadonlySet<string>,
): PasswordHasher {
  return {
    ...passwords,
    async verify(password, stored, client) {
      if (outages.has('verify')) {
        throw new Error('no memory for scrypt');
      }
      checked.push(stored);
      return passwords.verify(password, stored, client);
    },
  };
}

async function hashWith(cost: typeof COST, password: string): Promise<PasswordHash> {
  const queue = createFairQueue({ durationMsGuessed: 150, runningMax: 1, waitMsMax: 0 });
  const outcome = await createPasswordHasher(queue, cost).hash(password, PROGRAM);
  assert(outcome.kind === 'done');
  return outcome.result;
}

function toGuesses(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => basic('ann', `guess ${index}`));
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
