/** Each workload runs briefly: service and bare server send the same expected bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureWorkload } from '../../../scripts/bench/measure.ts';
import { leaveUnpinned, startBareServer } from '../../../scripts/bench/processes.ts';
import { setStage } from '../../../scripts/bench/stage.ts';
import { WORKLOAD_NAMES } from '../../../scripts/bench/workloads.ts';

/** The size of the default page. */
const USER_COUNT = 1_000;

test('every workload of "npm run bench" can be measured', async (context) => {
  const placement = leaveUnpinned('nothing is compared');
  const bare = await startBareServer(placement);
  context.after(() => bare.stop());
  const parts = { userCount: USER_COUNT, databaseFile: undefined, settings: {}, placement };
  const { service, workloads, close } = await setStage(parts);
  context.after(close);
  for (const name of WORKLOAD_NAMES) {
    await context.test(name, async () => {
      const effort = { roundCount: 1, seconds: 0.1, connectionCount: 2 };
      const result = await measureWorkload({ name, workload: workloads[name], service, bare, ...effort });
      assert.ok(result.service.requestsPerSecond > 0);
      assert.equal(result.bare === undefined, name === 'mix');
    });
  }
});
