import assert from 'node:assert/strict';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { runHousekeeping } from '../../src/programs/housekeeping.ts';
import { api, atOnce, basic, BEHIND_PROXY, inTurn, people, times } from '../support/service.ts';

const ME = 'GET /api/v1/user';
const OTHER_PROXY = { trustedProxies: parseTrustedProxies('10.0.0.0/8') };

const from = (address: string) => ({ 'X-Forwarded-For': address });

// spec 8-4
people('of 110 wrong passwords 100 are checked; one user at one address is throttled', async (world) => {
  const token = await world.issueToken(world.ada);
  const headers = from('192.0.2.66');
  const statuses = await inTurn(110, (index) => // both spellings of the name share one counter
    world.call(ME, { as: basic(index % 2 === 0 ? 'ada' : 'ADA', `wrong ${index}`), headers }));
  assert.deepEqual(statuses, [...times(100, 401), ...times(10, 429)]);
  const { headers: { 'retry-after': wait } } = await world.expect(429, ME, { as: world.ada, headers });
  assert.equal(wait, '300');
  for (const [as, address, expected] of [
    [world.ada, '192.0.2.1', 200], [world.eve, '192.0.2.66', 200], [token, '192.0.2.66', 200],
    [basic('nobody', 'x'), '192.0.2.66', 401],
  ] as const) {
    await world.expect(expected, ME, { as, headers: from(address) });
  }
}, BEHIND_PROXY);

api('of 120 concurrent guesses no more passwords are checked than of sequential ones', async (service) => {
  await service.register('ada');
  const statuses = await atOnce(120, (index) => service.call(ME, { as: basic('ada', `guess ${index}`) }));
  assert.deepEqual(statuses, [...times(100, 401), ...times(20, 429)]);
});

people('a throttled user whose password is remembered is refused until the window ends', async (world) => {
  const { ada, clock, expect, signIn } = world;
  assert.deepEqual(await signIn(ada, basic('ada', 'wrong'), ada), [200, 401, 200]);
  clock.nowMs += 1;
  // a second failure does not restart the window
  assert.deepEqual(await signIn(basic('ada', 'wrong')), [401]);
  for (const [laterMs, seconds] of [[0, '300'], [999, '299'], [298_999, '1']] as const) {
    clock.nowMs += laterMs;
    assert.equal((await expect(429, ME, { as: ada })).headers['retry-after'], seconds);
  }
  clock.nowMs += 1;
  assert.deepEqual(await signIn(ada), [200]);
}, { failuresPerNameMax: 2 });

people('neither throttled nor successful sign-ins count against the address', async ({ eve, signIn }) => {
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    const [, known] = await signIn(basic('ada', `wrong ${attempt}`), eve);
    assert.equal(known, 200);
  }
  const others = [basic('grace', 'a'), basic('grace', 'b'), basic('heidi', 'a')];
  assert.deepEqual(await signIn(...others, eve), [401, 401, 429, 200]);
}, { ...BEHIND_PROXY, failuresPerNameMax: 2, failuresPerNetworkMax: 4, verifiedSeconds: 0 });

people('after 1000 failures an address may sign in only with tokens or as recent users', async (world) => {
  const { ada, call, eve, expect } = world;
  const headers = from('192.0.2.66');
  await expect(200, ME, { as: ada, headers });
  const failures = await inTurn(1_000, (index) => call(ME, { as: basic(`user-${index}`, 'wrong'), headers }));
  assert.deepEqual(failures, times(1_000, 401));
  const token = await world.issueToken(eve);
  for (const [as, address, expected] of [
    [basic('nobody', 'x'), '192.0.2.66', 429], [eve, '192.0.2.66', 429], [token, '192.0.2.66', 200],
    [ada, '192.0.2.66', 200], [eve, '192.0.2.1', 200],
  ] as const) {
    await expect(expected, ME, { as, headers: from(address) });
  }
  const guesses = await inTurn(110, (index) => call(ME, { as: basic('ada', `guess ${index}`), headers }));
  // the limit per username is 100 failed sign-ins
  assert.deepEqual(guesses, [...times(100, 401), ...times(10, 429)]);
  const warnings = world.logLines.filter((line) => line.includes('sign-ins throttled'))
    .map((line) => JSON.parse(line));
  assert.deepEqual(warnings.map(({ level, address, limit }) => [level, address, limit]), [
    ['warn', '192.0.2.66', 'address'], ['warn', '192.0.2.66', 'name'],
  ]);
}, { ...BEHIND_PROXY, verifiedSeconds: 0 });

people.each('{0} ms after a sign-in, the limit of an address answers {1}', [
  [86_399_999, 200], [86_400_000, 429],
], async ({ ada, clock, signIn }, [laterMs, expected]) => {
  assert.deepEqual(await signIn(ada), [200]);
  clock.nowMs += laterMs;
  const wrong = ['a', 'b', 'c', 'd'].map((username) => basic(username, 'wrong'));
  assert.deepEqual(await signIn(...wrong, ada), [...times(4, 401), expected]);
}, { failuresPerNetworkMax: 4, verifiedSeconds: 0 });

people.each('after {0} log and trail have the address {1}, and the log has {2} warning(s)', [
  ['X-Forwarded-For', '127.0.0.1', 1, from('192.0.2.7'), {}],
  ['Forwarded alone', '127.0.0.1', 0, { 'Forwarded': 'for=192.0.2.7' }, {}],
  ['neither field', '127.0.0.1', 0, {}, {}],
  ['X-Forwarded-For from a proxy that is not in TRUST_PROXY', '127.0.0.1', 1, from('192.0.2.7'), OTHER_PROXY],
  ['X-Forwarded-For from a proxy in TRUST_PROXY', '192.0.2.7', 0, from('192.0.2.7'), BEHIND_PROXY],
  ['both fields from a proxy in TRUST_PROXY', '192.0.2.7', 0,
    { ...from('192.0.2.7'), 'Forwarded': 'for=203.0.113.9' }, BEHIND_PROXY],
], async ({ call, logLines, readTrail, root: as }, [, address, count, headers]) => {
  await inTurn(3, () => call('POST /api/v1/token', { as, headers }));
  assert.equal(JSON.parse(logLines.at(-1) ?? '')['address'], address);
  assert.equal((await readTrail(as, '?action=token.create'))[0].address, address);
  const warnings = logLines.filter((line) => line.includes('TRUST_PROXY'));
  assert.deepEqual(warnings.map((line) => JSON.parse(line).level), Array(count).fill('warn'));
}, ([, , , , settings]) => settings);

people('failed sign-ins are recorded as one event a minute for each user and address', async (world) => {
  for (const [username, address, count] of [
    ['ADA', '192.0.2.1', 3], ['ada', '192.0.2.2', 1], ['root', '192.0.2.1', 2],
    ['hunter2', '192.0.2.1', 2], ['nobody', '192.0.2.1', 1],
  ] as const) {
    await inTurn(count, (index) =>
      world.call(ME, { as: basic(username, `secret-${index}`), headers: from(address) }));
  }
  await runHousekeeping(world.housekeeping);
  await runHousekeeping(world.housekeeping);
  const list = async (query: string) => {
    const events = await world.readTrail(world.root, `?action=sign_in.failures${query}`);
    assert.doesNotMatch(JSON.stringify(events), /hunter2|nobody|secret/);
    return events.map(({ resource, details, address, user, sign_in }) =>
      [resource.type, resource.id, resource.name, details, address, user, sign_in]);
  };
  const ofAda = [
    ['user', 1, 'ada', 'count=3', '192.0.2.1', null, 'none'],
    ['user', 1, 'ada', 'count=1', '192.0.2.2', null, 'none'],
  ];
  assert.deepEqual(await list(''), [
    ...ofAda,
    ['user', 3, 'root', 'count=2', '192.0.2.1', null, 'none'],
    ['service', null, '', 'count=3, username=unknown', '192.0.2.1', null, 'none'],
  ]);
  assert.deepEqual(await list('&username=Ada'), ofAda);
}, BEHIND_PROXY);

// If too many networks attack known users, the events of further attacks name the user, but no network.
people.each('after failures of {0}, an attacked user is still in the trail', [
  ['520 unknown names from 520 networks', (index: number) => `nobody-${index}`, '203.0.113.9'],
  ['520 pairs of a known user and a network', () => 'root', ''],
], async (world, [, toName, shown]) => {
  const fail = (username: string, address: string) =>
    world.call(ME, { as: basic(username, 'wrong'), headers: from(address) });
  await inTurn(520, (index) => fail(toName(index), `10.0.${index >> 8}.${index & 255}`));
  await inTurn(2, () => fail('ada', '203.0.113.9'));
  await runHousekeeping(world.housekeeping);
  const trail = await world.readTrail(world.root, '?action=sign_in.failures');
  const events = trail.map(({ resource, details, address }) =>
    ({ user: resource.name, count: Number(/count=(\d+)/.exec(details)?.[1]), address }));
  assert.deepEqual(events.filter(({ user }) => user === 'ada'), [{ user: 'ada', count: 2, address: shown }]);
  assert.equal(events.reduce((total, { count }) => total + count, 0), 522);
}, BEHIND_PROXY);
