import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startClients } from '../support/clients.ts';
import { each } from '../support/each.ts';
import { inFull } from '../support/faults.ts';
import { startWithRoot, storeUser } from '../support/filled-file.ts';
import { call } from '../support/http-client.ts';
import { until } from '../support/until.ts';

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
  const { json } = await call(port, 'POST /api/v1/token', { as: storeUser(environment, 'eve') });
  const as = `Bearer ${json['token']}`;
  const options = { port, as, count: IN_FLIGHT, keepAlive: true, prefix: 'eve' };
  const { tally } = startClients(t, options, (ask, name) =>
    ask('PATCH /api/v1/users/eve', 200, { json: { email: `${name}@example.org` } }));
  await until(() => tally.answered.size >= IN_FLIGHT, 1);
  assert.deepEqual([...tally.unknown, ...tally.wrong], []);
  return world;
}
