/** Hashing is as slow as in production, so that the process reads all requests before a hash is ready. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SCRYPT_PARAMETERS } from '../../src/auth/password.ts';
import { each } from '../support/each.ts';
import { inFull } from '../support/faults.ts';
import { basic, call, KEEP_ALIVE as agent, type CallOptions } from '../support/http-client.ts';
import { BEHIND_PROXY, startService } from '../support/service.ts';

/** The number of concurrent requests that all attackers send together. */
const ALL_AT_ONCE = 180;
const HONEST = inFull(10, { short: 2 });
/** Attackers wait for this time after a refusal, although `Retry-After` demands more. */
const REFUSED_PAUSE_MS = 100;
/**
 * The maximum number of attackers' passwords that are hashed while a user waits. We expect five hashes: two
 * hashes are already running, and then each of the three attacking networks gets one turn. The test allows
 * ten hashes, because further hashes may start before the response reaches the user.
 */
const HASHES_BEFORE_MAX = 10;
/** This limit on the wait for a hash is so high that no request is refused, even on a slow machine. */
const WAIT_MS = 600_000;

async function start(t: TestContext) {
  const { port } = await startService(t, {
    ...BEHIND_PROXY,
    verifiedSeconds: 0,
    failuresPerNetworkMax: 1_000_000, // a lower limit would stop the simulated attack
    passwordWaitMs: WAIT_MS,
    metrics: 'on',
    scrypt: SCRYPT_PARAMETERS,
  });
  return {
    port,
    ask: (line: string, address: string, options: CallOptions = {}) =>
      call(port, line, { ...options, agent, headers: { 'X-Forwarded-For': address } }),
  };
}

type Ask = Awaited<ReturnType<typeof start>>['ask'];

type ToCall = (ask: Ask) => (index: number) => Promise<{ readonly status: number }>;
type Attack = readonly [title: string, toCrowd: ToCall, toUser: ToCall, expected: number];

function startCrowd(t: TestContext, attempt: ReturnType<ToCall>) {
  const statuses: Record<number, number> = {};
  let isStopping = false;
  let index = 0;
  t.after(() => { isStopping = true; });
  Array.from({ length: ALL_AT_ONCE }, async () => {
    while (!isStopping) {
      index += 1;
      // at the end of the test, the server stops, and the last requests fail
      const { status } = await attempt(index).catch(() => ({ status: 0 }));
      statuses[status] = (statuses[status] ?? 0) + 1;
      await (status === 503 && pause(REFUSED_PAUSE_MS));
    }
  });
  return statuses;
}

const signIn = (ask: Ask, address: string) => (number: number) =>
  ask('GET /api/v1/user', address, { as: basic(`user-${number}`, `user-${number}-password`) });

const guess = (ask: Ask, addressOf: (index: number) => string) => (index: number) =>
  ask('GET /api/v1/user', addressOf(index), { as: basic(`nobody-${index}`, 'wrong') });

const register = (ask: Ask, address: string, prefix = 'user') => (number: number) =>
  ask('POST /api/v1/users', address, { json: {
    username: `${prefix}-${number}`, password: `${prefix}-${number}-password`, email: 'x@example.org',
  } });

each<Attack>(`each user succeeds at the first try under ${ALL_AT_ONCE} attackers: {0}`, [
  ['three networks guess, and users of a fourth sign in',
    (ask) => guess(ask, (index) => `192.0.2.${index % 3}`), (ask) => signIn(ask, '203.0.113.1'), 200],
  ['a thousand IPv6 networks of one customer guess, and other users sign in',
    (ask) => guess(ask, (index) => `2001:db8:1:${(index % 1000).toString(16)}::1`),
    (ask) => signIn(ask, '203.0.113.1'), 200],
  ['strangers guess, and others register from the same address',
    (ask) => guess(ask, () => '203.0.113.1'), (ask) => register(ask, '203.0.113.1', 'late'), 201],
], async ([, toCrowd, toUser, expected], t) => {
  const { ask } = await start(t);
  const numbers = Array.from({ length: HONEST }, (_, index) => index + 1);
  for (const number of numbers) {
    assert.equal((await register(ask, '203.0.113.2')(number)).status, 201);
  }
  const crowd = startCrowd(t, toCrowd(ask));
  while (Object.keys(crowd).length === 0) {
    await pause(10); // when the first response arrives, all requests of the attackers are queued
  }
  const countHashes = () => (crowd[201] ?? 0) + (crowd[401] ?? 0);
  for (const number of numbers) {
    const before = countHashes();
    assert.equal((await toUser(ask)(number)).status, expected);
    const hashesBefore = countHashes() - before;
    t.diagnostic(`${hashesBefore} passwords of others were hashed; the crowd: ${JSON.stringify(crowd)}`);
    assert.ok(hashesBefore <= HASHES_BEFORE_MAX);
  }
});

test('the passwords of 42 clients that reset their connections are not hashed', async (t) => {
  const { port, ask } = await start(t);
  await register(ask, '203.0.113.2')(1);
  for (let index = 0; index < 42; index += 1) {
    const socket = connect(port, '127.0.0.1');
    const head = `GET /api/v1/user HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${index}\r\n`;
    const bytes = `${head}Authorization: ${basic(`nobody-${index}`, 'x')}\r\n\r\n`;
    await new Promise((resolve) => socket.write(bytes, resolve));
    socket.resetAndDestroy();
  }
  // The sign-in uses a new connection, which the server accepts after the connections of the 42 clients.
  const { status } = await call(port, 'GET /api/v1/user', { as: basic('user-1', 'user-1-password') });
  const { text } = await ask('GET /metrics', '192.0.2.1');
  const rejected = Number(/sign_ins_total\{outcome="rejected"\} (\d+)/.exec(text)?.[1]);
  t.diagnostic(`${rejected} of 42 were hashed before the sign-in of another`);
  assert.equal(status, 200);
  assert.ok(rejected <= 4);
});
