/** Tests that users at the limit of projects neither block the process nor fill its memory. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { defaultConfig } from '../support/config.ts';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import {
  LOW_PRIORITY, measuredTest, measureWorkMs, readMib, readProcessorMs, watchAnswers,
} from '../support/process-use.ts';
import { startWithRoot } from '../support/stored-user.ts';

/** All projects have the maximum size, about 9 KB of JSON. */
const LARGEST = defaultConfig().projectsPerUserMax;
const OTHERS = inFull(1_000, { short: 300 });
const PROJECTS_OF_OTHERS = inFull(100, { short: 20 });

/** The maximum processor time before the response to another client, in pieces of work. */
const HOLD_WORKS_MAX = 6;
const GROWTH_MIB_MAX = 192;

measuredTest('No read or change of users at the limit of projects blocks other requests', async (t) => {
  const description = '\u{1F600}'.repeat(2_000);
  const owners = [
    { username: 'heir', projects: 0, description },
    { username: 'largest', projects: LARGEST, description },
    ...Array.from({ length: OTHERS }, (_, index) => (
      { username: `owner${index}`, projects: PROJECTS_OF_OTHERS, description }
    )),
  ];
  const { as, pid, port } = await startWithRoot(t, {}, { owners, launcher: LOW_PRIORITY });
  const workMs = measureWorkMs();
  for (const [line, json] of [
    ['GET /api/v1/users'],
    ['GET /api/v1/users?sort=-username'],
    ['GET /api/v1/users?contains=o'],
    ['GET /api/v1/users/largest'],
    ['GET /api/v1/projects'],
    ['GET /api/v1/projects?owner=largest'],
    ['PATCH /api/v1/users/largest', { email: 'new@example.org' }],
    ['PATCH /api/v1/users/largest', { disabled: true }],
    ['DELETE /api/v1/users/largest?owned_projects=transfer&new_owner=heir'],
    ['DELETE /api/v1/users/heir?owned_projects=delete'],
  ] as const) {
    writeFileSync(`/proc/${pid}/clear_refs`, '5'); // resets the peak memory, VmHWM
    const before = readMib(pid, 'VmRSS');
    const watch = watchAnswers(() => call(port, 'GET /livez'), () => readProcessorMs(pid));
    const { status, bytes } = await call(port, line, { as, json });
    const held = await watch.stop() / workMs;
    const growth = readMib(pid, 'VmHWM') - before;
    t.diagnostic(
      `${line}: ${status}, ${(bytes.length / 1e6).toFixed(1)} MB, `
      + `others waited for ${held.toFixed(1)} pieces of work at most, ${growth.toFixed()} MiB more`,
    );
    assert.equal(status, 200, line);
    assert.ok(held < HOLD_WORKS_MAX, `${line} held others for ${held.toFixed(1)} pieces of work`);
    assert.ok(growth < GROWTH_MIB_MAX, `${line} took ${growth} MiB`);
  }
});
