/** Tests the replacement of two copies of the service on one file or cluster, behind a load balancer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ADMINISTRATOR, issueRootToken } from '../support/administrator.ts';
import { startBalancer } from '../support/balancer.ts';
import { clusterUrl, openTestDatabase } from '../support/database.ts';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import { createFolder, startServer } from '../support/programs.ts';
import { startClients } from '../support/steady-clients.ts';

const ROUNDS = inFull(20, { short: 1 });
const CLIENTS = 4;
/** A pause in which a new server has time to start. */
const PAUSE_MS = 50;
/** Far longer than the time after which the balancer notices that a copy is not ready. */
const SHUTDOWN_DELAY_MS = 3_000;
/** The responses to wait for after the last replacement. */
const ANSWERS = 50;

for (const [what, keepAlive] of [
  ['connects for each request', false], ['keeps connections', true],
] as const) {
  test(`replacing two copies (${ROUNDS} ×) behind a load balancer that ${what} fails no request`,
    async (t) => {
      await openTestDatabase(t); // this call empties the cluster
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
