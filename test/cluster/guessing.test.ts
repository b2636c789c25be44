/** Tests guessing on a cluster: a copy of the service that responds with 429 sends nothing to the nodes. */
import assert from 'node:assert/strict';
import { clusterTest, openThrough, startCluster } from '../support/cluster.ts';
import { startLosingProxy } from '../support/losing-proxy.ts';
import { basic, startService } from '../support/service.ts';

clusterTest('An anonymous request that is answered with 429 sends nothing to the cluster', async (t) => {
  const nodes = await startCluster(t);
  const network = await startLosingProxy(t, nodes.all[0].port);
  const database = await openThrough({ port: network.port });
  t.after(() => database.close());
  const service = await startService(t, { failuresPerNameMax: 1, failuresPerNetworkMax: 2 }, database);
  for (const [name, status] of [['ada', 401], ['ada', 429], ['bob', 401], ['eve', 429]] as const) {
    const before = { ...network.requests };
    await service.expect(status, 'GET /api/v1/users', { as: basic(name, 'wrong') });
    if (status === 429) {
      assert.deepEqual(network.requests, before, name);
    }
  }
});
