import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { clusterTest, openThrough, startCluster } from '../support/cluster.ts';
import { sql } from '../support/sql.ts';

const FIND_REVOKED = sql("SELECT digest FROM tokens WHERE digest = 'revoked'");
const ROUNDS = 3;
/** After 2 s without a response, the driver repeats a request. */
const FROZEN_MS = 2_300;

clusterTest('A linearizable read through a resumed leader sees the writes made while it was frozen',
  async (t) => {
    const nodes = await startCluster(t);
    const everywhere = await openThrough(t, ...nodes.all);
    await everywhere.write([sql('CREATE TABLE tokens (digest TEXT PRIMARY KEY) STRICT')]);
    for (let round = 1; round <= ROUNDS; round += 1) {
      await everywhere.write([sql("INSERT INTO tokens (digest) VALUES ('revoked')")]);
      const leader = await nodes.findLeader();
      const [throughLeader, besides] = [
        await openThrough(t, leader), await openThrough(t, ...nodes.all.filter((node) => node !== leader)),
      ];
      leader.send('SIGSTOP');
      await besides.write([sql("DELETE FROM tokens WHERE digest = 'revoked'")]);
      const ask = () => Array.from({ length: 20 }, () => throughLeader.read(FIND_REVOKED));
      const answers = ask();
      await pause(FROZEN_MS);
      leader.send('SIGCONT');
      assert.deepEqual((await Promise.all([...answers, ...ask()])).flat(), [], `round ${round}`);
      await nodes.ready();
    }
  });
