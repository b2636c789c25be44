/** Tests that users who continuously change their own account cannot block an administrator. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { each } from '../support/each.ts';
import { inFull } from '../support/faults.ts';
import { call, KEEP_ALIVE } from '../support/http-client.ts';
import { startWithRoot, storeUser } from '../support/stored-user.ts';

const IN_FLIGHT = inFull(1_000, { short: 100 });

for (const [line, json] of [
  ['PUT /api/v1/users/eve/password', { password: 'a new password' }],
  ['PATCH /api/v1/users/eve', { disabled: true }],
  ['PATCH /api/v1/users/eve', { email: 'new@example.org' }],
  ['DELETE /api/v1/users/eve', undefined],
] as const) {
  const sent = JSON.stringify(json) ?? '';
  test(`During ${IN_FLIGHT} own changes, ${line} ${sent} succeeds at once`, async (t) => {
    const { port, as } = await startStorm(t);
    const { status, text } = await call(port, line, { as, json });
    assert.equal(status, 200, text);
  });
}

each(`During ${IN_FLIGHT} own changes, admin.js {0} succeeds at once`, [
  ['disable eve', ''], ['reset-password eve', 'a new password\n'],
], async ([command, input], t) => {
  const { mustAdmin } = await startStorm(t);
  await mustAdmin(command, input);
});

async function startStorm(t: TestContext) {
  const world = await startWithRoot(t, { MAX_CHANGES_PER_USER: '0' });
  const { port, environment } = world;
  const issued = await call(port, 'POST /api/v1/token', { as: storeUser(environment, 'eve') });
  const as = `Bearer ${issued.json['token']}`;
  let isOver = false;
  const change = async (index: number) => {
    const json = { email: `eve-${index}-${Math.random()}@example.org` };
    const answer = await call(port, 'PATCH /api/v1/users/eve', { as, json, agent: KEEP_ALIVE })
      .catch(() => undefined);
    // The changes end when eve has lost access or the server ends.
    isOver ||= answer === undefined || [401, 404].includes(answer.status);
    return answer?.status;
  };
  const first = await Promise.all(Array.from({ length: IN_FLIGHT }, (_, index) => change(index)));
  assert.equal(isOver, false, `${first}`);
  first.forEach(async (_, index) => {
    while (!isOver) {
      await change(index);
    }
  });
  return world;
}
