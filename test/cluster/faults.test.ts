import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Node, Nodes } from '../../scripts/nodes.ts';
import { ADMINISTRATOR, issueRootToken } from '../support/administrator.ts';
import { startClients, type Round } from '../support/clients.ts';
import { clusterTest, readNode, startCluster } from '../support/cluster.ts';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import { startServer } from '../support/programs.ts';
import { until } from '../support/until.ts';

const KILLS = inFull(10, { short: 4 });
const FREEZES = inFull(3, { short: 2 });
/** During this time, the other nodes elect a new leader. */
const FROZEN_MS = 4_000;
/** The short test does not limit the downtime, because other tests on this machine can delay elections. */
const UNAVAILABLE_MS_MAX = inFull(10_000, { short: Infinity });
const POLL_MS = 50;

const CALM_MS = 300;

const WRITERS_PER_PORT = 4;

/** Without a pause between requests, clients would flood a service that is down. */
const PAUSE_MS = 5;

const REVOKED_TRIED_MAX = 5;

clusterTest(`${KILLS} leaders killed under load lose no acknowledged write and accept no revoked token`,
  (t) => survive(t, KILLS, async (nodes, leader, recovered) => {
    await leader.end('SIGKILL');
    await recovered();
    leader.start();
    await nodes.ready();
  }));

clusterTest(`${FREEZES} leaders frozen and resumed lose no acknowledged write, and accept no revoked token`,
  (t) => survive(t, FREEZES, async (nodes, leader, recovered) => {
    leader.send('SIGSTOP');
    await Promise.all([recovered(), pause(FROZEN_MS)]);
    leader.send('SIGCONT'); // the old leader wakes up, and at first still acts as the leader
    await nodes.ready();
  }));

clusterTest('without a majority of nodes the service answers 503 with Retry-After, and then recovers',
  async (t) => {
    const { nodes, ports, as } = await startAll(t);
    const [port = 0] = ports;
    const [first, second] = nodes.all;
    await Promise.all([first.end('SIGKILL'), second.end('SIGKILL')]);
    const refusal = await call(port, 'GET /api/v1/users', { as });
    assert.equal(refusal.status, 503);
    assert.equal(refusal.json['type'], '/static/problems.html#database-unavailable');
    assert.match(refusal.headers['retry-after'] ?? '', /^[0-9]+$/);
    assert.equal((await call(port, 'GET /readyz')).status, 503);
    assert.equal((await call(port, 'GET /')).status, 200);
    first.start();
    second.start();
    await nodes.ready();
    // `/readyz` caches its result for one second, and a read by `/readyz` times out after two seconds
    await until(async () => (await call(port, 'GET /readyz')).status === 200, POLL_MS);
    assert.equal((await call(port, 'GET /api/v1/users', { as })).status, 200);
  });

async function startAll(context: TestContext) {
  const nodes = await startCluster(context);
  const environment = { DATABASE_URL: nodes.url, ...ADMINISTRATOR };
  const servers = await Promise.all([1, 2].map(() => startServer(context, environment)));
  const ports = servers.map(({ port }) => port);
  return { nodes, ports, as: await issueRootToken(ports[0] ?? 0) };
}

/** @param fail - Makes the leader fail, waits until the service has recovered, and repairs the leader. */
async function survive(
  t: TestContext, faults: number,
  fail: (nodes: Nodes, leader: Node, recovered: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { nodes, ports, as } = await startAll(t);
  const { clients, revoked } = startLoad(t, ports, as);
  const listWrites = () => clients.flatMap(({ tally }) => [...tally.created.values()]);
  const gapsMs: number[] = [];
  for (let fault = 1; fault <= faults; fault += 1) {
    await pause(CALM_MS);
    const leader = await nodes.findLeader();
    const beganAtMs = performance.now();
    await fail(nodes, leader, async () => {
      const enough = listWrites().length + 20 * ports.length;
      await until(() => listWrites().length >= enough, POLL_MS);
    });
    gapsMs.push(findLongestGap([beganAtMs, ...listWrites().filter((atMs) => atMs > beganAtMs)]));
  }
  await pause(CALM_MS);
  const tallies = await Promise.all(clients.map(({ stop }) => stop()));
  const unknown = tallies.flatMap((tally) => tally.unknown);
  t.diagnostic(`longest time without a write, for each fault: ${gapsMs.join(', ')} ms`);
  t.diagnostic(`${listWrites().length} writes acknowledged, ${unknown.length} requests with unknown outcome`);
  t.diagnostic(`${revoked.length} tokens revoked`);
  assert.deepEqual(tallies.flatMap(({ wrong }) => wrong), []);
  assert.ok(Math.max(...gapsMs) < UNAVAILABLE_MS_MAX, `unavailable for ${Math.max(...gapsMs)} ms`);
  assert.ok(revoked.length > 0);
  await checkAgreement(nodes, tallies.flatMap(({ created }) => [...created.keys()]));
}

function findLongestGap(timesMs: readonly number[]): number {
  const sorted = timesMs.toSorted((left, right) => left - right);
  return Math.round(Math.max(...sorted.map((atMs, index) => atMs - (sorted[index - 1] ?? atMs))));
}

async function checkAgreement({ all, findLeader }: Nodes, acknowledged: readonly string[]): Promise<void> {
  const leader = await findLeader();
  const sql = 'SELECT name, description FROM projects ORDER BY id';
  const expected = await readNode(leader, sql);
  for (const node of all) {
    await until(async () => (await readNode(node, sql)).length >= expected.length, POLL_MS);
    assert.deepEqual(await readNode(node, sql), expected, node.name);
  }
  const names = new Set(expected.map(([name]) => name));
  assert.deepEqual(acknowledged.filter((name) => !names.has(name)), [], 'lost');
  assert.ok(expected.every(([name, description]) => name === description));
}

/** At each instance of the service, clients create projects, revoke tokens, and try revoked tokens. */
function startLoad(t: TestContext, ports: readonly number[], as: string) {
  const revoked: string[] = [];
  const revoke: Round = async (ask) => {
    const issued = await ask('POST /api/v1/token', 201);
    const token = `Bearer ${issued?.json['token']}`;
    if (issued && await ask('DELETE /api/v1/token', 200, { as: token })) {
      revoked.push(token);
    }
  };
  const tryRevoked: Round = async (ask) => {
    for (const token of revoked.slice(-REVOKED_TRIED_MAX)) {
      await ask('GET /api/v1/users?items_per_page=1', 401, { as: token });
    }
  };
  const clients = ports.flatMap((port) => [
    startClients(t, { port, as, count: WRITERS_PER_PORT, prefix: `write-${port}`, pauseMs: PAUSE_MS }),
    startClients(t, { port, as, count: 1, prefix: `revoke-${port}`, pauseMs: PAUSE_MS }, revoke),
    startClients(t, { port, as, count: 1, prefix: `try-${port}`, pauseMs: PAUSE_MS }, tryRevoked),
  ]);
  return { clients, revoked };
}
