import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { ADMINISTRATOR, issueRootToken } from '../support/administrator.ts';
import { startClients } from '../support/clients.ts';
import { clusterUrl, openTestDatabase } from '../support/database.ts';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import { listen } from '../support/listen.ts';
import { createFolder, startServer } from '../support/programs.ts';
import { until } from '../support/until.ts';

const ROUNDS = inFull(20, { short: 1 });
const CLIENTS = 4;
const PAUSE_MS = 50;
/** Within this delay, the load balancer notices that an instance is not ready. */
const SHUTDOWN_DELAY_MS = 3_000;
const ANSWERS = 50;
const PROBED_EVERY_MS = 50;

for (const keepAlive of [false, true]) {
  const clients = `clients that ${keepAlive ? 'keep connections' : 'connect for each request'}`;
  test(`replacing 2 instances behind a balancer (${ROUNDS} ×) fails no request of ${clients}`, async (t) => {
    await openTestDatabase(t); // empties the cluster
    const environment = {
      DATABASE_URL: clusterUrl ?? `sqlite:${createFolder(t)}/service.sqlite`, ...ADMINISTRATOR,
      SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS),
      TRUST_PROXY: '127.0.0.1',
      MAX_PROJECTS_PER_USER: '1000000', // a long run on a busy machine creates more than 2000 projects
    };
    let instances = [await startServer(t, environment), await startServer(t, environment)];
    const as = await issueRootToken(instances[0]?.port ?? 0);
    const balancer = await startBalancer(t);
    await Promise.all(instances.map(({ port }) => balancer.add(port)));
    const clients = startClients(t, {
      port: balancer.port, as, count: CLIENTS, keepAlive, prefix: 'rolling', pauseMs: PAUSE_MS,
    });
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const instance of instances) {
        const next = await startServer(t, environment);
        await balancer.add(next.port);
        assert.equal(await instance.stop('SIGTERM'), 0);
        balancer.remove(instance.port);
        instances = [...instances.filter((other) => other !== instance), next];
      }
    }
    const before = clients.tally.answered.size;
    await until(() => clients.tally.answered.size >= before + ANSWERS, 10);
    const { unknown, wrong, created } = await clients.stop();
    assert.deepEqual([...unknown, ...wrong], []);
    const { headers } = await call(instances[0]?.port ?? 0, 'GET /api/v1/projects', { as });
    assert.equal(Number(headers['total']), created.size);
  });
}

/** Polls the readiness of each instance. Connects clients to the ready instances in turn. */
async function startBalancer(t: TestContext) {
  const isReadyByPort = new Map<number, boolean>();
  let turn = 0;
  const prober = setInterval(() => [...isReadyByPort.keys()].forEach(probe), PROBED_EVERY_MS);
  t.after(() => clearInterval(prober));

  async function probe(port: number): Promise<void> {
    const status = await call(port, 'GET /readyz').then((answer) => answer.status, () => undefined);
    if (isReadyByPort.has(port)) {
      isReadyByPort.set(port, status === 200);
    }
  }

  async function pass(client: Socket): Promise<void> {
    client.on('error', () => {});
    const ready = [...isReadyByPort].filter(([, isReady]) => isReady).map(([port]) => port);
    turn += 1;
    for (const port of [...ready.slice(turn % ready.length), ...ready.slice(0, turn % ready.length)]) {
      const instance = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      if (await once(instance, 'connect').then(() => true, () => false)) {
        pipeline(client, instance, client, () => {});
        return;
      }
      isReadyByPort.set(port, false);
    }
    client.destroy();
  }

  return {
    port: await listen(t, createServer({ allowHalfOpen: true }, pass)),
    async add(port: number): Promise<void> {
      isReadyByPort.set(port, false);
      await until(() => isReadyByPort.get(port) === true, PROBED_EVERY_MS);
    },
    remove: (port: number) => isReadyByPort.delete(port),
  };
}
