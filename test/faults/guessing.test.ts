/**
 * What guessing and registering by the hundred do to people who sign in at the same time, with real costs of passwords. The
 * clients come from several networks, as a trusted proxy says.
 */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inFull, isFull } from '../support/faults.ts';
import { call, toMessage, type CallOptions } from '../support/http-client.ts';
import { createFolder, startServer } from '../support/programs.ts';
import { basic } from '../support/service.ts';

/** Of each attacking network. */
const AT_ONCE = 60;
const HONEST = inFull(10, { short: 2 });
const ROOT = basic('root', 'root-password');
/** What the service promises; and with other tests on the same machine. */
const SIGN_IN_MS_MAX = isFull ? 5_000 : 10_000;
/** So that the clients do not keep the machine busy themselves; `Retry-After` says more. */
const REFUSED_PAUSE_MS = 100;
/** Guesses are refused after 1 000 for an address, which would end the attack. */
const ENDLESS = { SIGN_IN_FAILURES_PER_ADDRESS: '1000000' };

async function start(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const { port } = await startServer(t, {
    DATABASE_URL: `sqlite:${createFolder(t)}/service.sqlite`, ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'root-password',
    TRUST_PROXY: '127.0.0.1', AUTH_CACHE_SECONDS: '0', ...environment,
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

/** Clients that go on until they are told to stop. @returns How their requests were answered, by status. */
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

/** Each signs in once. @returns What came of it, and after how long. */
async function signIn(ask: Ask, count: number, address = '203.0.113.1') {
  const outcomes = [];
  for (let number = 1; number <= count; number += 1) {
    const startedAtMs = performance.now();
    const { status } = await ask('GET /api/v1/user', address, { as: basic(`user-${number}`, `user-${number}-password`) });
    outcomes.push({ status, ms: Math.round(performance.now() - startedAtMs) });
  }
  return outcomes;
}

async function register(ask: Ask, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    assert.equal((await ask('POST /api/v1/users', '203.0.113.2', { json: toAccount(`user-${number}`) })).status, 201);
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
  test(`while ${title} send ${3 * AT_ONCE} wrong passwords at a time, everybody else is let in at the first try`, async (t) => {
    const { ask } = await start(t, ENDLESS);
    await register(ask, HONEST);
    const stop = startCrowd(3 * AT_ONCE, (index) =>
      ask('GET /api/v1/user', addressOf(index), { as: basic(`nobody-${index}`, 'wrong') }));
    const outcomes = await signIn(ask, HONEST);
    const statuses = await stop();
    t.diagnostic(`the others: ${JSON.stringify(statuses)}; honest: ${JSON.stringify(outcomes)}`);
    assertLetIn(outcomes);
  });
}

test(`while ${3 * AT_ONCE} clients of one address register, who signs in there is let in at the first try, and the other way round`, async (t) => {
  const { ask } = await start(t, ENDLESS);
  await register(ask, HONEST);
  const stopRegistering = startCrowd(3 * AT_ONCE, (index) =>
    ask('POST /api/v1/users', '203.0.113.1', { json: toAccount(`new-${index}`) }));
  const outcomes = await signIn(ask, HONEST);
  t.diagnostic(`registrations: ${JSON.stringify(await stopRegistering())}; honest: ${JSON.stringify(outcomes)}`);
  assertLetIn(outcomes);
  const stopGuessing = startCrowd(3 * AT_ONCE, (index) =>
    ask('GET /api/v1/user', '203.0.113.1', { as: basic(`nobody-${index}`, 'wrong') }));
  const startedAtMs = performance.now();
  const { status } = await ask('POST /api/v1/users', '203.0.113.1', { json: toAccount('late') });
  t.diagnostic(`sign-ins: ${JSON.stringify(await stopGuessing())}; a registration: ${status} in ${Math.round(performance.now() - startedAtMs)} ms`);
  assert.equal(status, 201);
});

test('passwords of 42 clients that have hung up are not hashed', async (t) => {
  const { port, ask } = await start(t);
  await register(ask, 1);
  const { method, target: path, fields } = toMessage('GET /api/v1/user');
  for (let index = 0; index < 42; index += 1) {
    await new Promise<void>((resolve) => {
      const headers = { ...fields, 'Authorization': basic(`nobody-${index}`, 'x'), 'X-Forwarded-For': `192.0.2.${index}` };
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
      outgoing.on('error', () => {});
      outgoing.end(() => outgoing.destroy());
      outgoing.once('close', resolve);
    });
  }
  const outcomes = await signIn(ask, 1);
  t.diagnostic(JSON.stringify(outcomes));
  assertLetIn(outcomes);
  assert.ok(outcomes.every(({ ms }) => ms < 2_000)); // 42 hashes take 3 s at least
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
