/** Each workload for a moment: that it is answered as it should be, by the service and in the same bytes by the bare server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureWorkload } from '../../../scripts/bench/compare.ts';
import { leaveUnpinned } from '../../../scripts/bench/cores.ts';
import { startBareServer } from '../../../scripts/bench/servers.ts';
import { setStage } from '../../../scripts/bench/stage.ts';
import { WORKLOAD_NAMES } from '../../../scripts/bench/workloads.ts';

/** As many as the default page holds. */
const USER_COUNT = 1_000;

test('every workload of "npm run bench" can be measured', { timeout: 120_000 }, async (context) => {
  const placement = leaveUnpinned('nothing is compared');
  const bare = await startBareServer(placement);
  context.after(() => bare.stop());
  const { service, workloads, close } = await setStage({ userCount: USER_COUNT, databaseFile: undefined, settings: {}, placement });
  context.after(close);
  for (const name of WORKLOAD_NAMES) {
    await context.test(name, async () => {
      const options = { seconds: 0.1, connectionCount: 2 };
      const result = await measureWorkload({ name, workload: workloads[name], service, bare, roundCount: 1, options });
      assert.ok(result.service.requestsPerSecond > 0);
      assert.equal(result.bare === undefined, name === 'mix');
    });
  }
});
