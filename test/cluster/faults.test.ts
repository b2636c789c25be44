/** Tests nodes that are killed, frozen and removed while two copies of the service are under load. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Node, Nodes } from '../../scripts/nodes.ts';
import { ADMINISTRATOR, issueRootToken } from '../support/administrator.ts';
import { clusterTest, readNode, startCluster } from '../support/cluster.ts';
import { inFull } from '../support/faults.ts';
import { call, type Answer, type CallOptions } from '../support/http-client.ts';
import { startServer } from '../support/programs.ts';

const KILLS = inFull(10, { short: 4 });
const FREEZES = inFull(3, { short: 2 });
/** A leader stays frozen for this time, so that the other nodes elect a new leader. */
const FROZEN_MS = 4_000;
/** The maximum time without an acknowledged write. Other tests on the same machine can delay elections. */
const UNAVAILABLE_MS_MAX = inFull(10_000, { short: Infinity });
const POLL_MS = 50;

const CALM_MS = 300;

const WRITERS_PER_PORT = 4;

/** Clients pause after a request without a response, so that they do not flood a dead service. */
const PAUSE_MS = 20;

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
    leader.send('SIGCONT'); // the old leader continues old requests, and still acts as leader
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
    while ((await call(port, 'GET /readyz')).status !== 200) {
      // `/readyz` caches its result for one second, and a read by `/readyz` times out after two seconds
      await pause(100);
    }
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
  const { tally, stop } = startLoad(ports, as);
  const gapsMs: number[] = [];
  for (let fault = 1; fault <= faults; fault += 1) {
    await pause(CALM_MS);
    const leader = await nodes.findLeader();
    tally.longestGapMs = 0;
    await fail(nodes, leader, () => waitForWrites(tally, ports.length));
    gapsMs.push(Math.round(tally.longestGapMs));
  }
  await pause(CALM_MS);
  await stop();
  t.diagnostic(`longest time without a write, for each fault: ${gapsMs.join(', ')} ms`);
  t.diagnostic(`${tally.acknowledged.size} writes acknowledged, ${tally.unknown} with unknown outcome`);
  t.diagnostic(`${tally.revoked.length} tokens revoked, then tried in ${tally.checks} requests`);
  assert.deepEqual(tally.wrong, []);
  assert.equal(tally.letIn, 0);
  assert.ok(tally.checks > 0);
  assert.ok(Math.max(...gapsMs) < UNAVAILABLE_MS_MAX, `unavailable for ${Math.max(...gapsMs)} ms`);
  await checkAgreement(nodes, tally);
}

/** Waits until the service has acknowledged a write that began after this call. */
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

type Tally = ReturnType<typeof startLoad>['tally'];

/** Starts clients that create projects, and clients that send revoked tokens to all copies of the service. */
function startLoad(ports: readonly number[], as: string) {
  const tally = {
    acknowledged: new Set<string>(),
    /** The number of requests whose outcome is unknown, because they got 503 or no response. */
    unknown: 0,
    /** Responses that are certainly wrong, such as "taken" for a new name. */
    wrong: [] as string[],
    revoked: [] as string[],
    /** The number of requests with a revoked token, and how many of these requests the service accepted. */
    checks: 0,
    letIn: 0,
    lastWriteAtMs: performance.now(),
    longestGapMs: 0,
  };
  let isStopping = false;

  async function ask(port: number, line: string, options: CallOptions): Promise<Answer | undefined> {
    const answer = await call(port, line, options).catch(() => undefined);
    if (answer === undefined || answer.status === 503) {
      tally.unknown += 1;
      await pause(PAUSE_MS);
      return undefined;
    }
    return answer;
  }

  async function write(port: number, writer: number): Promise<void> {
    for (let index = 1; !isStopping; index += 1) {
      const name = `project-${port}-${writer}-${index}`;
      const answer = await ask(port, 'POST /api/v1/projects', { as, json: { name, description: name } });
      if (answer?.status === 201) {
        tally.acknowledged.add(name);
        const now = performance.now();
        tally.longestGapMs = Math.max(tally.longestGapMs, now - tally.lastWriteAtMs);
        tally.lastWriteAtMs = now;
      } else if (answer !== undefined) {
        tally.wrong.push(`${answer.status} for the new name ${name}: ${answer.text}`);
      }
    }
  }

  async function revoke(port: number): Promise<void> {
    while (!isStopping) {
      const issued = await ask(port, 'POST /api/v1/token', { as });
      if (issued?.status === 201) {
        const token = `Bearer ${issued.json['token']}`;
        const answer = await ask(port, 'DELETE /api/v1/token', { as: token });
        if (answer?.status === 200) {
          tally.revoked.push(token);
        } else if (answer !== undefined) {
          tally.wrong.push(`${answer.status} for a revocation: ${answer.text}`);
        }
      }
      await tryRevoked();
    }
  }

  async function tryRevoked(): Promise<void> {
    for (const token of tally.revoked.slice(-REVOKED_TRIED_MAX)) {
      const answers = await Promise.all(
        ports.map((port) => ask(port, 'GET /api/v1/users?items_per_page=1', { as: token })),
      );
      tally.checks += answers.filter((answer) => answer !== undefined).length;
      tally.letIn += answers.filter((answer) => answer?.status === 200).length;
    }
  }

  const clients = ports.flatMap((port) => [
    ...Array.from({ length: WRITERS_PER_PORT }, (_, writer) => write(port, writer)),
    revoke(port),
  ]);
  return {
    tally,
    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all(clients);
    },
  };
}
