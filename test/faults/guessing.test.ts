/**
 * Floods of guesses and registrations, with the real cost of passwords, while users sign in. The clients come
 * from several networks, according to a trusted proxy.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inFull, isFull } from '../support/faults.ts';
import { call, type CallOptions } from '../support/http-client.ts';
import { createFolder, startServer } from '../support/programs.ts';
import { basic } from '../support/service.ts';

/** Requests of all attackers: 60 of each network. */
const ALL_AT_ONCE = 180;
const HONEST = inFull(10, { short: 2 });
const ROOT = basic('root', 'root-password');
/** The promise of the service, and twice that when other tests run on the same machine. */
const SIGN_IN_MS_MAX = isFull ? 5_000 : 10_000;
/** So that the clients do not keep the machine busy themselves; `Retry-After` says more. */
const REFUSED_PAUSE_MS = 100;
/** Otherwise the limit of an address would end the attack. */
const ENDLESS = { SIGN_IN_FAILURES_PER_ADDRESS: '1000000' };

async function start(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const { port } = await startServer(t, {
    DATABASE_URL: `sqlite:${createFolder(t)}/service.sqlite`, AUTH_CACHE_SECONDS: '0',
    TRUST_PROXY: '127.0.0.1', ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'root-password', ...environment,
  });
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  return {
    port,
    ask: (line: string, address: string, options: CallOptions = {}) =>
      call(port, line, { ...options, agent, headers: { 'X-Forwarded-For': address } }),
  };
}

type Ask = Awaited<ReturnType<typeof start>>['ask'];

function toAccount(username: string) {
  return { username, password: `${username}-password`, email: 'x@example.org' };
}

/** Starts clients. @returns Stops them, and counts the answers by status. */
function startCrowd(count: number, attempt: (index: number) => Promise<{ readonly status: number }>) {
  const statuses: Record<number, number> = {};
  let isStopping = false;
  let index = 0;
  const clients = Array.from({ length: count }, async () => {
    while (!isStopping) {
      index += 1;
      const { status } = await attempt(index);
      statuses[status] = (statuses[status] ?? 0) + 1;
      await (status === 503 && pause(REFUSED_PAUSE_MS));
    }
  });
  return async () => {
    isStopping = true;
    await Promise.all(clients);
    return statuses;
  };
}

/** Signs in as one user after the other. @returns The status and the duration of each. */
async function signIn(ask: Ask, count: number, address = '203.0.113.1') {
  const outcomes = [];
  for (let number = 1; number <= count; number += 1) {
    const startedAtMs = performance.now();
    const as = basic(`user-${number}`, `user-${number}-password`);
    const { status } = await ask('GET /api/v1/user', address, { as });
    outcomes.push({ status, ms: Math.round(performance.now() - startedAtMs) });
  }
  return outcomes;
}

async function register(ask: Ask, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const { status } = await ask('POST /api/v1/users', '203.0.113.2', { json: toAccount(`user-${number}`) });
    assert.equal(status, 201);
  }
}

function assertLetIn(outcomes: Awaited<ReturnType<typeof signIn>>): void {
  assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set([200]));
  assert.ok(outcomes.every(({ ms }) => ms <= SIGN_IN_MS_MAX), JSON.stringify(outcomes));
}

for (const [title, addressOf] of [
  ['three networks', (index: number) => `192.0.2.${index % 3}`],
  ['a thousand networks of one customer', (index: number) => `2001:db8:1:${(index % 1000).toString(16)}::1`],
] as const) {
  test(`while ${title} send ${ALL_AT_ONCE} wrong passwords at a time, users sign in at once`, async (t) => {
    const { ask } = await start(t, ENDLESS);
    await register(ask, HONEST);
    const stop = startCrowd(ALL_AT_ONCE, (index) =>
      ask('GET /api/v1/user', addressOf(index), { as: basic(`nobody-${index}`, 'wrong') }));
    const outcomes = await signIn(ask, HONEST);
    const statuses = await stop();
    t.diagnostic(`the others: ${JSON.stringify(statuses)}; honest: ${JSON.stringify(outcomes)}`);
    assertLetIn(outcomes);
  });
}

test(`while ${ALL_AT_ONCE} clients of an address register, users sign in there at once`, async (t) => {
  const { ask } = await start(t, ENDLESS);
  await register(ask, HONEST);
  const stop = startCrowd(ALL_AT_ONCE, (index) =>
    ask('POST /api/v1/users', '203.0.113.1', { json: toAccount(`new-${index}`) }));
  const outcomes = await signIn(ask, HONEST);
  t.diagnostic(`registrations: ${JSON.stringify(await stop())}; honest: ${JSON.stringify(outcomes)}`);
  assertLetIn(outcomes);
});

test(`while ${ALL_AT_ONCE} clients of an address guess, users register there at once`, async (t) => {
  const { ask } = await start(t, ENDLESS);
  const stop = startCrowd(ALL_AT_ONCE, (index) =>
    ask('GET /api/v1/user', '203.0.113.1', { as: basic(`nobody-${index}`, 'wrong') }));
  const startedAtMs = performance.now();
  const { status } = await ask('POST /api/v1/users', '203.0.113.1', { json: toAccount('late') });
  const ms = Math.round(performance.now() - startedAtMs);
  t.diagnostic(`sign-ins: ${JSON.stringify(await stop())}; a registration: ${status} in ${ms} ms`);
  assert.equal(status, 201);
});

test('passwords of 42 clients that have hung up are not hashed', async (t) => {
  const { port, ask } = await start(t, { METRICS: 'on' });
  await register(ask, 1);
  for (let index = 0; index < 42; index += 1) {
    const socket = connect(port, '127.0.0.1');
    const head = `GET /api/v1/user HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${index}\r\n`;
    socket.end(`${head}Authorization: ${basic(`nobody-${index}`, 'x')}\r\n\r\n`);
    await once(socket, 'finish');
    socket.destroy();
  }
  const outcomes = await signIn(ask, 1);
  const { text } = await ask('GET /metrics', '192.0.2.1');
  const rejected = Number(/sign_ins_total\{outcome="rejected"\} (\d+)/.exec(text)?.[1]);
  t.diagnostic(`${rejected} of 42 were hashed; honest: ${JSON.stringify(outcomes)}`);
  assertLetIn(outcomes);
  assert.ok(rejected <= 4);
});

test('320 registrations of a taken name leave every sign-in of their address alone', async (t) => {
  const { ask } = await start(t, { SIGN_IN_FAILURES_PER_ADDRESS: '300' });
  const statuses: Record<number, number> = {};
  const startedAtMs = performance.now();
  for (let index = 0; index < 320; index += 1) {
    const { status } = await ask('POST /api/v1/users', '192.0.2.1', { json: toAccount('root') });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  const ms = Math.round(performance.now() - startedAtMs);
  const { status } = await ask('GET /api/v1/user', '192.0.2.1', { as: ROOT });
  t.diagnostic(`${JSON.stringify(statuses)} in ${ms} ms, then the right password: ${status}`);
  assert.equal(status, 200);
});
