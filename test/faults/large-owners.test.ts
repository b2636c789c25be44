import assert from 'node:assert/strict';
import { defaultConfig } from '../support/config.ts';
import { inFull } from '../support/faults.ts';
import { LONGEST_DESCRIPTION as description, startWithRoot } from '../support/filled-file.ts';
import { call } from '../support/http-client.ts';
import { LOW_PRIORITY, measuredTest, measureServer } from '../support/process-use.ts';

/** All projects have the maximum size, about 9 KB of JSON. */
const LARGEST = defaultConfig().projectsPerUserMax;
const OTHERS = inFull(1_000, { short: 300 });
const PROJECTS_OF_OTHERS = inFull(100, { short: 20 });

/** The maximum processor time before `/livez` responds, in multiples of `measureWorkMs()`. */
const HOLD_WORKS_MAX = 6;
const GROWTH_MIB_MAX = 192;

measuredTest('No read or change of users at the limit of projects blocks other requests', async (t) => {
  const owners = [
    { username: 'heir', projects: 0, description },
    { username: 'largest', projects: LARGEST, description },
    ...Array.from({ length: OTHERS }, (_, index) => (
      { username: `owner${index}`, projects: PROJECTS_OF_OTHERS, description }
    )),
  ];
  const server = await startWithRoot(t, {}, { owners, launcher: LOW_PRIORITY });
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
    const { grownMib, works } = await measureServer(server, async () => {
      assert.equal((await call(server.port, line, { as: server.as, json })).status, 200, line);
    });
    t.diagnostic(`${line}: others waited for ${works.toFixed(1)} works, ${grownMib.toFixed()} MiB more`);
    assert.ok(works < HOLD_WORKS_MAX, `${line} held others for ${works.toFixed(1)} pieces of work`);
    assert.ok(grownMib < GROWTH_MIB_MAX, `${line} took ${grownMib} MiB`);
  }
});
