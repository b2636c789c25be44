/** Hashing is as slow as in production, so that the process reads all requests before a hash is ready. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { SCRYPT_PARAMETERS } from '../../src/auth/password.ts';
import { startClients } from '../support/clients.ts';
import { each } from '../support/each.ts';
import { inFull } from '../support/faults.ts';
import { basic, call } from '../support/http-client.ts';
import { BEHIND_PROXY, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const ATTACKERS = 180;
const HONEST = inFull(10, { short: 2 });
/**
 * While a user waits, we expect five hashes for attackers: two hashes are already running, and each of the
 * three attacking networks gets one turn. More hashes can start before the response reaches the user.
 */
const HASHES_BEFORE_MAX = 10;
/** A request can wait this long for its hash, so the service refuses no request, even on a slow machine. */
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
    register: (username: string, address = '203.0.113.2') => call(port, 'POST /api/v1/users', {
      json: { username, password: `${username}-password`, email: 'x@example.org' }, ...from(address),
    }),
    signIn: (username: string) => call(port, 'GET /api/v1/user', {
      as: basic(username, `${username}-password`), ...from('203.0.113.1'),
    }),
  };
}

type User = Awaited<ReturnType<typeof start>>;
type Act = (user: User, number: number) => Promise<{ readonly status: number }>;
type Attack = readonly [title: string, addressOf: (guess: number) => string, act: Act, expected: number];

const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

each<Attack>(`each user succeeds at the first try under ${ATTACKERS} attackers: {0}`, [
  ['three networks guess, and users of a fourth sign in',
    (guess) => `192.0.2.${guess % 3}`, ({ signIn }, number) => signIn(`user-${number}`), 200],
  ['a thousand IPv6 networks of one customer guess, and other users sign in',
    (guess) => `2001:db8:1:${(guess % 1000).toString(16)}::1`,
    ({ signIn }, number) => signIn(`user-${number}`), 200],
  ['strangers guess, and others register from the same address',
    () => '203.0.113.1', ({ register }, number) => register(`late-${number}`, '203.0.113.1'), 201],
], async ([, addressOf, act, expected], t) => {
  const user = await start(t);
  const numbers = Array.from({ length: HONEST }, (_, index) => index + 1);
  for (const number of numbers) {
    assert.equal((await user.register(`user-${number}`)).status, 201);
  }
  let guesses = 0;
  const options = { port: user.port, as: '', count: ATTACKERS, prefix: 'nobody', keepAlive: true };
  const { tally: { answered, unknown, wrong } } = startClients(t, options, (ask, name) =>
    ask('GET /api/v1/user', 401, { as: basic(name, 'wrong'), ...from(addressOf(guesses += 1)) }));
  await until(() => answered.size > 0, 10); // now all requests of the attackers are queued
  const countHashes = () => answered.size - unknown.length - wrong.length;
  for (const number of numbers) {
    const before = countHashes();
    assert.equal((await act(user, number)).status, expected);
    const hashesBefore = countHashes() - before;
    t.diagnostic(`${hashesBefore} passwords of others were hashed; ${unknown.length} were refused`);
    assert.ok(hashesBefore <= HASHES_BEFORE_MAX);
  }
});

test('the passwords of 42 clients that reset their connections are not hashed', async (t) => {
  const { port, register, signIn } = await start(t);
  await register('ada');
  for (let index = 0; index < 42; index += 1) {
    const socket = connect(port, '127.0.0.1');
    const head = `GET /api/v1/user HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${index}\r\n`;
    const bytes = `${head}Authorization: ${basic(`nobody-${index}`, 'x')}\r\n\r\n`;
    await new Promise((resolve) => socket.write(bytes, resolve));
    socket.resetAndDestroy();
  }
  // The sign-in uses a new connection, which the server accepts after the connections of the 42 clients.
  const { status } = await signIn('ada');
  const { text } = await call(port, 'GET /metrics');
  const rejected = Number(/sign_ins_total\{outcome="rejected"\} (\d+)/.exec(text)?.[1]);
  t.diagnostic(`${rejected} of 42 were hashed before the sign-in of another`);
  assert.equal(status, 200);
  assert.ok(rejected <= 4);
});
