/**
 * Tests guessing on a cluster: while a copy of the service responds with 429, it sends nothing to the nodes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openThrough, startCluster } from '../support/cluster.ts';
import { skipWithoutCluster } from '../support/database.ts';
import { startLosingProxy } from '../support/losing-proxy.ts';
import { basic, startService } from '../support/service.ts';

test('An anonymous request that is answered with 429 sends nothing to the cluster', {
  skip: skipWithoutCluster,
}, async (t) => {
  const nodes = await startCluster(t);
  const network = await startLosingProxy(t, nodes.all[0]?.port ?? 0);
  const database = await openThrough({ port: network.port });
  t.after(() => database.close());
  const service = await startService(t, { failuresPerNameMax: 1, failuresPerAddressMax: 2 }, database);
  const guess = async (name: string) => {
    return (await service.call('GET /api/v1/users', { as: basic(name, 'wrong') })).status;
  };
  assert.equal(await guess('ada'), 401);
  assert.deepEqual(await countRequests(() => guess('ada')), { status: 429, requests: 0 });
  assert.equal(await guess('bob'), 401);
  assert.deepEqual(await countRequests(() => guess('eve')), { status: 429, requests: 0 });

  async function countRequests(ask: () => Promise<number>) {
    const before = network.requests.reads + network.requests.writes;
    const status = await ask();
    return { status, requests: network.requests.reads + network.requests.writes - before };
  }
});
