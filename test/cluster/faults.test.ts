/**
 * Tests nodes that are killed, frozen and removed while two copies of the service are under load.
 * Acknowledged writes must survive, revoked tokens must stay revoked, and the service must recover without
 * help.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Node, Nodes } from '../../scripts/nodes.ts';
import { ADMINISTRATOR, issueRootToken } from '../support/administrator.ts';
import { readNode, startCluster } from '../support/cluster.ts';
import { skipWithoutCluster } from '../support/database.ts';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import { startLoad, type Tally } from '../support/load.ts';
import { startServer } from '../support/programs.ts';

const KILLS = inFull(10, { short: 4 });
const FREEZES = inFull(3, { short: 2 });
/** Long enough for an election, while requests queue in the frozen node. */
const FROZEN_MS = 4_000;
/** `npm test` sets no limit, because other tests on the same machine delay elections. */
const UNAVAILABLE_MS_MAX = inFull(10_000, { short: Infinity });
const POLL_MS = 50;

/** The time under load before each fault. */
const CALM_MS = 300;

test(`${KILLS} leaders killed under load lose no acknowledged write and accept no revoked token`,
  { skip: skipWithoutCluster }, (t) => survive(t, KILLS, async (nodes, leader, recovered) => {
    await leader.end('SIGKILL');
    await recovered();
    leader.start();
    await nodes.ready();
  }));

test(`${FREEZES} leaders frozen and resumed under load lose no acknowledged write, accept no revoked token`,
  { skip: skipWithoutCluster }, (t) => survive(t, FREEZES, async (nodes, leader, recovered) => {
    leader.send('SIGSTOP');
    await Promise.all([recovered(), pause(FROZEN_MS)]);
    leader.send('SIGCONT'); // the old leader still holds requests, and believes that it leads
    await nodes.ready();
  }));

test('without a majority of nodes the service answers 503 with Retry-After, and recovers when they return',
  { skip: skipWithoutCluster }, async (t) => {
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
    while ((await call(port, 'GET /readyz')).status !== 200) {
      await pause(100); // a result is cached for one second, and a read times out after two seconds
    }
    assert.equal((await call(port, 'GET /api/v1/users', { as })).status, 200);
  });

/** Starts two copies of the service at the same time on an empty cluster, and issues a token. */
async function startAll(context: TestContext) {
  const nodes = await startCluster(context);
  const environment = { DATABASE_URL: nodes.url, ...ADMINISTRATOR };
  const servers = await Promise.all([1, 2].map(() => startServer(context, environment)));
  const ports = servers.map(({ port }) => port);
  return { nodes, ports, as: await issueRootToken(ports[0] ?? 0) };
}

/** @param fail - Makes the leader fail, waits for `recovered`, and then repairs the leader. */
async function survive(
  t: TestContext, faults: number,
  fail: (nodes: Nodes, leader: Node, recovered: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { nodes, ports, as } = await startAll(t);
  const load = startLoad(ports, as);
  const gapsMs: number[] = [];
  for (let fault = 1; fault <= faults; fault += 1) {
    await pause(CALM_MS);
    const leader = await nodes.findLeader();
    load.tally.longestGapMs = 0;
    await fail(nodes, leader, () => waitForWrites(load.tally, ports.length));
    gapsMs.push(Math.round(load.tally.longestGapMs));
  }
  await pause(CALM_MS);
  const tally = await load.stop();
  t.diagnostic(`longest time without a write, for each fault: ${gapsMs.join(', ')} ms`);
  t.diagnostic(
    `${tally.acknowledged.size} writes acknowledged, ${tally.unknown} requests of unknown outcome`,
  );
  t.diagnostic(
    `${tally.revoked.length} tokens revoked, ${tally.letIn} of ${tally.checks} requests with them let in`,
  );
  assert.deepEqual(tally.wrong, []);
  assert.equal(tally.letIn, 0);
  assert.ok(tally.checks > 0);
  assert.ok(Math.max(...gapsMs) < UNAVAILABLE_MS_MAX, `unavailable for ${Math.max(...gapsMs)} ms`);
  await checkAgreement(nodes, tally);
}

/** Waits for more acknowledgements than writes were in flight, so that some writes began after the call. */
async function waitForWrites(tally: Tally, ports: number): Promise<void> {
  const enough = tally.acknowledged.size + 20 * ports;
  while (tally.acknowledged.size < enough) {
    await pause(POLL_MS);
  }
}

async function checkAgreement({ all, findLeader }: Nodes, { acknowledged, revoked }: Tally): Promise<void> {
  const leader = await findLeader();
  const sql = 'SELECT name, description FROM projects ORDER BY id';
  const expected = await readNode(leader, sql);
  for (const node of all) {
    while ((await readNode(node, sql)).length < expected.length) {
      await pause(POLL_MS);
    }
    assert.deepEqual(await readNode(node, sql), expected, node.name);
  }
  const names = new Set(expected.map(([name]) => name));
  assert.deepEqual([...acknowledged].filter((name) => !names.has(name)), [], 'lost');
  assert.ok(expected.every(([name, description]) => name === description));
  assert.ok(revoked.length > 0);
}
