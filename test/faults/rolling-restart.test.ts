/** Tests the replacement of two copies of the service on one file or cluster, behind a load balancer. */
import assert from 'node:assert/strict';
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ADMINISTRATOR, issueRootToken } from '../support/administrator.ts';
import { clusterUrl, openTestDatabase } from '../support/database.ts';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import { listen, passOn } from '../support/listen.ts';
import { createFolder, startServer } from '../support/programs.ts';
import { startClients } from '../support/steady-clients.ts';

const ROUNDS = inFull(20, { short: 1 });
const CLIENTS = 4;
/** A pause in which a new server has time to start. */
const PAUSE_MS = 50;
/**
 * The time for which a copy still serves after SIGTERM: far longer than the balancer needs to notice that the
 * copy is not ready.
 */
const SHUTDOWN_DELAY_MS = 3_000;
/** The number of responses to wait for after the last replacement. */
const ANSWERS = 50;
const PROBED_EVERY_MS = 50;

for (const [what, keepAlive] of [
  ['connects for each request', false], ['keeps connections', true],
] as const) {
  test(`replacing two copies (${ROUNDS} ×) behind a load balancer that ${what} fails no request`,
    async (t) => {
      await openTestDatabase(t); // empties the cluster
      const environment = {
        DATABASE_URL: clusterUrl ?? `sqlite:${createFolder(t)}/service.sqlite`, ...ADMINISTRATOR,
        SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS),
        TRUST_PROXY: '127.0.0.1',
      };
      let copies = [await startServer(t, environment), await startServer(t, environment)];
      const as = await issueRootToken(copies[0]?.port ?? 0);
      const balancer = await startBalancer(t, { keepAlive });
      await Promise.all(copies.map(({ port }) => balancer.add(port)));
      const clients = startClients(t, {
        port: balancer.port, as, count: CLIENTS, pauseMs: PAUSE_MS, keepAlive: true, prefix: 'rolling',
      });
      for (let round = 1; round <= ROUNDS; round += 1) {
        for (const copy of copies) {
          const next = await startServer(t, environment);
          await balancer.add(next.port);
          assert.equal(await copy.stop('SIGTERM'), 0);
          balancer.remove(copy.port);
          copies = [...copies.filter((other) => other !== copy), next];
        }
      }
      const before = clients.tally.answered.size;
      while (clients.tally.answered.size < before + ANSWERS) {
        await pause(10);
      }
      const { answered, failed, created } = await clients.stop();
      t.diagnostic(`${answered.size} requests answered, ${failed.length} failed`);
      assert.deepEqual(failed, []);
      const { json } = await call(
        copies[0]?.port ?? 0, 'GET /api/v1/projects?items_per_page=1000&starts_with=rolling-0', { as },
      );
      assert.equal(json['projects'].length, Math.min(
        1000, [...created].filter((name) => name.startsWith('rolling-0')).length,
      ));
    });
}

/**
 * Starts a load balancer, which polls the readiness of each copy, and sends requests to the ready copies in
 * turn. If a copy refuses a connection, the balancer tries the next copy.
 */
async function startBalancer(context: TestContext, agentOptions: { readonly keepAlive: boolean }) {
  const agent = new Agent(agentOptions);
  const isReadyByPort = new Map<number, boolean>();
  let turn = 0;

  const prober = setInterval(() => [...isReadyByPort.keys()].forEach(probe), PROBED_EVERY_MS);
  async function probe(port: number): Promise<void> {
    const status = await call(port, 'GET /readyz').then((answer) => answer.status, () => undefined);
    if (isReadyByPort.has(port)) {
      isReadyByPort.set(port, status === 200);
    }
  }

  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const ready = [...isReadyByPort].filter(([, isReady]) => isReady).map(([port]) => port);
    turn += 1;
    for (const port of [...ready.slice(turn % ready.length), ...ready.slice(0, turn % ready.length)]) {
      if (await pass({ port, agent }, incoming, outgoing, body)) {
        return;
      }
      isReadyByPort.set(port, false);
    }
    outgoing.writeHead(503).end('no copy is ready');
  });

  context.after(() => {
    clearInterval(prober);
    agent.destroy();
  });
  return {
    port: await listen(context, server),
    /** Adds a copy of the service, and waits until the copy is ready. */
    async add(port: number): Promise<void> {
      isReadyByPort.set(port, false);
      while (!isReadyByPort.get(port)) {
        await pause(PROBED_EVERY_MS);
      }
    },
    remove: (port: number) => isReadyByPort.delete(port),
  };
}

/**
 * Passes a request to a copy. If the connection breaks during the request, the client gets 502. @returns
 * False if the connection was refused.
 */
async function pass(
  copy: { readonly port: number; readonly agent: Agent },
  incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer,
): Promise<boolean> {
  try {
    // The header field `Connection` concerns only the connection of the client to the balancer.
    const { connection: _, ...headers } = incoming.headers;
    const { answer, content } = await passOn(incoming, body, { ...copy, headers });
    const type = answer.headers['content-type'] ?? '';
    outgoing.writeHead(answer.statusCode ?? 0, { 'Content-Type': type }).end(content);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') {
      return false;
    }
    outgoing.writeHead(502).end(`a copy was lost: ${code}`);
    return true;
  }
}
