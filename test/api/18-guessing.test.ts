/** Sign-in that withstands attack: what guessing costs, whom it hits, and what it tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { keepHouse } from '../../src/programs/housekeeping.ts';
import { createAuditStore } from '../../src/stores/audit.ts';
import { createTokenStore } from '../../src/stores/tokens.ts';
import { basic, startService } from '../support/service.ts';
import { QUOTAS } from '../support/quotas.ts';

const BEHIND_PROXY = { trustedProxies: parseTrustedProxies('127.0.0.1') };

function from(address: string) {
  return { 'X-Forwarded-For': address };
}

test('of 60 wrong passwords in a row 10 are checked; the user signs in from elsewhere, others from the same address', async (t) => {
  const service = await startService(t, BEHIND_PROXY);
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  const token = await service.issueToken(ada);
  const statuses: number[] = [];
  for (let attempt = 1; attempt <= 60; attempt += 1) {
    const as = basic(attempt % 2 === 0 ? 'ada' : 'ADA', `wrong ${attempt}`); // the key folds case
    statuses.push((await service.call('GET /api/v1/user', { as, headers: from('192.0.2.66') })).status);
  }
  assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(50).fill(429)]);
  for (const [as, address, expected] of [
    [ada, '192.0.2.66', 429], [ada, '192.0.2.1', 200], [eve, '192.0.2.66', 200], [token, '192.0.2.66', 200],
    [basic('nobody', 'x'), '192.0.2.66', 401],
  ] as const) {
    assert.equal((await service.call('GET /api/v1/user', { as, headers: from(address) })).status, expected);
  }
});

test('refused tries are not counted against the address, and successful ones cost nothing', async (t) => {
  const service = await startService(t, { ...BEHIND_PROXY, failuresPerNameMax: 2, failuresPerAddressMax: 4, verifiedSeconds: 0 });
  const eve = await service.register('eve');
  const statusOf = async (as: string) => (await service.call('GET /api/v1/user', { as })).status;
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    await statusOf(basic('ada', `wrong ${attempt}`));
    assert.equal(await statusOf(eve), 200);
  }
  assert.deepEqual([await statusOf(basic('grace', 'a')), await statusOf(basic('grace', 'b')), await statusOf(eve)], [401, 401, 429]);
});

test('with the password in the memory of right ones, a throttled caller is refused all the same', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 1 });
  const ada = await service.register('ada');
  assert.equal((await service.call('GET /api/v1/user', { as: ada })).status, 200);
  await service.call('GET /api/v1/user', { as: basic('ada', 'wrong') });
  assert.equal((await service.call('GET /api/v1/user', { as: ada })).status, 429);
});

test('a new username means no new guesses of the password, with a token or by signing in', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 3 });
  const as = await service.registerWithToken('ada');
  const statuses: number[] = [];
  for (const username of ['ada2', 'ada3', 'ada4', 'ada5']) {
    const json = { current_password: `wrong ${username}`, password: 'correct-horse-battery' };
    statuses.push((await service.call('PUT /api/v1/users/1/password', { as, json })).status);
    assert.equal((await service.call('PATCH /api/v1/users/1', { as, json: { username } })).status, 200);
  }
  assert.deepEqual(statuses, [403, 403, 403, 429]);
  assert.equal((await service.call('GET /api/v1/user', { as: basic('ada5', 'ada-password') })).status, 429);
});

for (const [title, overrides, headers, expected] of [
  ['without TRUST_PROXY', {}, from('192.0.2.7'), '127.0.0.1'],
  ['of a connection that TRUST_PROXY does not name', { trustedProxies: parseTrustedProxies('10.0.0.0/8') }, from('192.0.2.7'), '127.0.0.1'],
  ['of a trusted proxy', BEHIND_PROXY, from('192.0.2.7'), '192.0.2.7'],
  ['of a trusted proxy, in RFC 7239', BEHIND_PROXY, { 'Forwarded': 'for="[2001:db8::7]:4711";proto=https' }, '2001:db8::7'],
] as const) {
  test(`X-Forwarded-For or Forwarded ${title} makes the address ${expected}, in the log and in the trail`, async (t) => {
    const service = await startService(t, overrides);
    const root = await service.registerAdministrator('root');
    await service.call('POST /api/v1/token', { as: root, headers });
    assert.equal(JSON.parse(service.logLines.at(-1) ?? '')['address'], expected);
    const { json } = await service.call('GET /api/v1/audit_events?action=token.create', { as: root });
    assert.equal(json['audit_events'][0].address, expected);
  });
}

test('failed sign-ins are one number in the trail, not a row each', async (t) => {
  const service = await startService(t);
  const root = await service.registerAdministrator('root');
  for (const username of ['root', 'nobody', 'ada']) {
    await service.call('GET /api/v1/user', { as: basic(username, 'wrong') });
  }
  const { database, failures } = service;
  const parts = {
    database, tokens: createTokenStore(database, QUOTAS), audit: createAuditStore(database), failures,
    tokenRetentionSeconds: 0, auditRetentionSeconds: 0, clock: () => service.clock.nowMs,
  };
  await keepHouse(parts);
  await keepHouse(parts);
  const { json } = await service.call('GET /api/v1/audit_events?action=sign_in.failures', { as: root });
  assert.deepEqual(json['audit_events'].map(({ details, sign_in }: Record<string, string>) => [details, sign_in]), [['count=3', 'program']]);
});
