/** Attacks on the sign-in: the limits for guessing, the users affected, and the information revealed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTrustedProxies } from '../../src/http/client-address.ts';
import { runHousekeeping } from '../../src/programs/housekeeping.ts';
import { housekeepingOf } from '../support/housekeeping.ts';
import { api, basic, startService } from '../support/service.ts';

const BEHIND_PROXY = { trustedProxies: parseTrustedProxies('127.0.0.1') };

function from(address: string) {
  return { 'X-Forwarded-For': address };
}

test('of 110 wrong passwords 100 are checked; only this user at this address is throttled', async (t) => {
  const service = await startService(t, BEHIND_PROXY);
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  const token = await service.issueToken(ada);
  const statuses: number[] = [];
  for (let attempt = 1; attempt <= 110; attempt += 1) {
    const as = basic(attempt % 2 === 0 ? 'ada' : 'ADA', `wrong ${attempt}`); // one counter for both
    statuses.push((await service.call('GET /api/v1/user', { as, headers: from('192.0.2.66') })).status);
  }
  assert.deepEqual(statuses, [...Array(100).fill(401), ...Array(10).fill(429)]);
  for (const [as, address, expected] of [
    [ada, '192.0.2.66', 429], [ada, '192.0.2.1', 200], [eve, '192.0.2.66', 200], [token, '192.0.2.66', 200],
    [basic('nobody', 'x'), '192.0.2.66', 401],
  ] as const) {
    await service.expect(expected, 'GET /api/v1/user', { as, headers: from(address) });
  }
});

test('neither throttled nor successful sign-ins count against the address', async (t) => {
  const service = await startService(t, {
    ...BEHIND_PROXY, failuresPerNameMax: 2, failuresPerAddressMax: 4, verifiedSeconds: 0,
  });
  const eve = await service.register('eve');
  const statusOf = async (as: string) => (await service.call('GET /api/v1/user', { as })).status;
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    await statusOf(basic('ada', `wrong ${attempt}`));
    assert.equal(await statusOf(eve), 200);
  }
  assert.deepEqual([await statusOf(basic('grace', 'a')), await statusOf(basic('grace', 'b'))], [401, 401]);
  assert.equal(await statusOf(basic('heidi', 'a')), 429);
  assert.equal(await statusOf(eve), 200);
});

test('a token as the password costs no check and no failure; with another name it is 401', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 2 });
  const ada = await service.register('ada');
  await service.register('eve');
  const token = (await service.issueToken(ada)).replace('Bearer ', '');
  const checksBefore = service.queues.passwords.measures.done;
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    const body = new URLSearchParams({ token }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await service.call('POST /api/v1/introspect', { as: basic('ada', token), body, headers });
    assert.deepEqual([answer.status, answer.json['username']], [200, 'ada']);
    await service.expect(401, 'GET /api/v1/user', { as: basic('eve', token) });
  }
  assert.equal(service.queues.passwords.measures.done, checksBefore);
  const { json } = await service.call('GET /api/v1/user', { as: basic('ada', token) });
  assert.deepEqual([json['sign_in'], json['username']], ['token', 'ada']);
  await service.expect(200, 'GET /api/v1/user', { as: ada });
  await service.expect(200, 'DELETE /api/v1/token', { as: basic('ada', token) });
  await service.expect(401, 'GET /api/v1/user', { as: basic('ada', token) });
});

test('320 registrations with a taken name affect no sign-in from the address', async (t) => {
  const service = await startService(t, { failuresPerAddressMax: 300 });
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  const statuses = new Map<number, number>();
  for (let attempt = 1; attempt <= 320; attempt += 1) {
    const json = { username: 'ada', password: 'x', email: 'x@example.org' };
    const { status } = await service.call('POST /api/v1/users', { json });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.deepEqual([...statuses], [[422, 300], [429, 20]]);
  for (const [as, expected] of [
    [ada, 200], [eve, 200], [basic('ada', 'wrong'), 401], [basic('nobody', 'x'), 401],
  ] as const) {
    await service.expect(expected, 'GET /api/v1/user', { as });
  }
  assert.equal(service.logLines.filter((line) => line.includes('registrations throttled')).length, 1);
});

test('twenty wrong passwords of a known user do not delay another known user of the address', async (t) => {
  const slow = { logN: 14, r: 8, p: 1 }; // so that all sign-ins arrive before the first is checked
  const service = await startService(t, { verifiedSeconds: 0 }, undefined, slow);
  const ada = await service.register('ada');
  const bob = await service.register('bob');
  const answers: string[] = [];
  const signIn = async (name: string, as: string) => {
    await service.call('GET /api/v1/user', { as });
    answers.push(name);
  };
  await Promise.all([signIn('ada', ada), signIn('bob', bob)]); // both are known at this address from now on
  const wrong = Array.from({ length: 20 }, (_, attempt) => signIn('wrong', basic('bob', `wrong ${attempt}`)));
  await Promise.all([...wrong, signIn('ada again', ada)]);
  assert.ok(answers.indexOf('ada again') < 10, answers.join());
});

api('with the default settings, 400 failures from one address throttle no other user', async (service) => {
  const late = await service.register('late');
  for (let number = 1; number <= 400; number += 1) {
    const as = basic(`user-${number % 20}`, 'wrong');
    await service.expect(401, 'GET /api/v1/user', { as });
    const json = { username: 'late', password: 'x', email: 'x@example.org' };
    await service.expect(422, 'POST /api/v1/users', { json });
  }
  await service.expect(200, 'GET /api/v1/user', { as: late });
  await service.register('new');
});

test('after 1000 failures an address may sign in only with tokens or as recent users', async (t) => {
  const service = await startService(t, { ...BEHIND_PROXY, verifiedSeconds: 0 });
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  const statusOf = async (as: string, address = '192.0.2.66') =>
    (await service.call('GET /api/v1/user', { as, headers: from(address) })).status;
  assert.equal(await statusOf(ada), 200);
  for (let number = 1; number <= 1_000; number += 1) {
    assert.equal(await statusOf(basic(`user-${number}`, 'wrong')), 401);
  }
  const token = await service.issueToken(eve);
  for (const [as, address, expected] of [
    [basic('nobody', 'x'), '192.0.2.66', 429], [eve, '192.0.2.66', 429], [token, '192.0.2.66', 200],
    [ada, '192.0.2.66', 200], [eve, '192.0.2.1', 200],
  ] as const) {
    assert.equal(await statusOf(as, address), expected);
  }
  const guesses = [];
  for (let number = 1; number <= 110; number += 1) {
    guesses.push(await statusOf(basic('ada', `guess ${number}`)));
  }
  assert.deepEqual(guesses, [...Array(100).fill(401), ...Array(10).fill(429)]); // the limit per username
  const warnings = service.logLines.filter((line) => line.includes('sign-ins throttled'));
  const lines = warnings.map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ level, address, limit }) => [level, address, limit]), [
    ['warn', '192.0.2.66', 'address'], ['warn', '192.0.2.66', 'name'],
  ]);
});

for (const failuresPerNameMax of [1, 3, 30]) {
  test(`after ${failuresPerNameMax} failures for a name the next attempt is 429`, async (t) => {
    const service = await startService(t, { failuresPerNameMax });
    const statuses: number[] = [];
    for (let attempt = 0; attempt <= failuresPerNameMax; attempt += 1) {
      const as = basic('ada', `wrong ${attempt}`);
      statuses.push((await service.call('GET /api/v1/user', { as })).status);
    }
    assert.deepEqual(statuses, [...Array(failuresPerNameMax).fill(401), 429]);
  });
}

for (const [title, overrides, headers, lines] of [
  ['X-Forwarded-For', {}, { 'X-Forwarded-For': '192.0.2.1' }, 1],
  ['Forwarded alone', {}, { 'Forwarded': 'for=192.0.2.1' }, 0],
  ['neither field', {}, {}, 0],
  [
    'X-Forwarded-For from a proxy that is not in TRUST_PROXY',
    { trustedProxies: parseTrustedProxies('10.0.0.0/8') }, { 'X-Forwarded-For': '192.0.2.1' }, 1,
  ],
  ['X-Forwarded-For from a proxy in TRUST_PROXY', BEHIND_PROXY, { 'X-Forwarded-For': '192.0.2.1' }, 0],
] as const) {
  test(`after three requests with ${title} the log has ${lines} warning(s) about TRUST_PROXY`, async (t) => {
    const service = await startService(t, overrides);
    for (let count = 1; count <= 3; count += 1) {
      await service.call('GET /', { headers });
    }
    const warnings = service.logLines.filter((line) => line.includes('TRUST_PROXY'));
    assert.equal(warnings.length, lines);
    assert.ok(warnings.every((line) => JSON.parse(line).level === 'warn'));
  });
}

test('a throttled user is refused even if the right password is cached', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 1 });
  const ada = await service.register('ada');
  await service.expect(200, 'GET /api/v1/user', { as: ada });
  await service.call('GET /api/v1/user', { as: basic('ada', 'wrong') });
  await service.expect(429, 'GET /api/v1/user', { as: ada });
});

test('guesses at a password count the same by signing in and by changing it', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 3 });
  const as = await service.registerWithToken('ada');
  const statuses: number[] = [];
  for (const guess of ['a', 'b', 'c', 'ada-password']) { // the last one is right, and remembered
    const json = { current_password: guess, password: 'correct-horse-battery' };
    statuses.push((await service.call('PUT /api/v1/users/1/password', { as, json })).status);
  }
  assert.deepEqual(statuses, [403, 403, 403, 429]);
  await service.expect(429, 'GET /api/v1/user', { as: basic('ada', 'ada-password') });
});

for (const [laterMs, expected] of [[86_399_999, 200], [86_400_000, 429]] as const) {
  test(`${laterMs} ms after a sign-in, the limit of an address answers ${expected}`, async (t) => {
    const service = await startService(t, { failuresPerAddressMax: 4, verifiedSeconds: 0 });
    const ada = await service.register('ada');
    await service.expect(200, 'GET /api/v1/user', { as: ada });
    service.clock.nowMs += laterMs;
    for (const username of ['a', 'b', 'c', 'd']) {
      await service.expect(401, 'GET /api/v1/user', { as: basic(username, 'wrong') });
    }
    await service.expect(expected, 'GET /api/v1/user', { as: ada });
  });
}

for (const [title, overrides, headers, expected] of [
  ['without TRUST_PROXY', {}, from('192.0.2.7'), '127.0.0.1'],
  [
    'from an address that is not in TRUST_PROXY', { trustedProxies: parseTrustedProxies('10.0.0.0/8') },
    from('192.0.2.7'), '127.0.0.1',
  ],
  ['from a trusted proxy', BEHIND_PROXY, from('192.0.2.7'), '192.0.2.7'],
  [
    'from a trusted proxy, next to a Forwarded of the client', BEHIND_PROXY,
    { ...from('192.0.2.7'), 'Forwarded': 'for=203.0.113.9' }, '192.0.2.7',
  ],
] as const) {
  test(`X-Forwarded-For ${title} makes the address ${expected}, in log and trail`, async (t) => {
    const service = await startService(t, overrides);
    const root = await service.registerAdministrator('root');
    await service.call('POST /api/v1/token', { as: root, headers });
    assert.equal(JSON.parse(service.logLines.at(-1) ?? '')['address'], expected);
    const { json } = await service.call('GET /api/v1/audit_events?action=token.create', { as: root });
    assert.equal(json['audit_events'][0].address, expected);
  });
}

test('failed sign-ins are recorded as one event a minute for each user and address', async (t) => {
  const service = await startService(t, BEHIND_PROXY);
  const root = await service.registerAdministrator('root');
  await service.register('ada');
  for (const [username, address, count] of [
    ['ADA', '192.0.2.1', 3], ['ada', '192.0.2.2', 1], ['root', '192.0.2.1', 2],
    ['hunter2', '192.0.2.1', 2], ['nobody', '192.0.2.1', 1],
  ] as const) {
    for (let attempt = 1; attempt <= count; attempt += 1) {
      const as = basic(username, `secret-${attempt}`);
      await service.call('GET /api/v1/user', { as, headers: from(address) });
    }
  }
  await runHousekeeping(housekeepingOf(service));
  await runHousekeeping(housekeepingOf(service));
  const list = async (query: string) => {
    const line = `GET /api/v1/audit_events?action=sign_in.failures${query}`;
    const { text, json } = await service.call(line, { as: root });
    assert.doesNotMatch(text, /hunter2|nobody|secret/);
    return json['audit_events'].map(({ resource, details, address, user, sign_in }: Record<string, any>) =>
      [resource.type, resource.id, resource.name, details, address, user, sign_in]);
  };
  const ofAda = [
    ['user', 2, 'ada', 'count=3', '192.0.2.1', null, 'none'],
    ['user', 2, 'ada', 'count=1', '192.0.2.2', null, 'none'],
  ];
  assert.deepEqual(await list(''), [
    ...ofAda,
    ['user', 1, 'root', 'count=2', '192.0.2.1', null, 'none'],
    ['service', null, '', 'count=3, username=unknown', '192.0.2.1', null, 'none'],
  ]);
  assert.deepEqual(await list('&username=Ada'), ofAda);
});

/** Attackers of a minute, by user; the name and the network of the guess that matters must not get lost. */
for (const [title, decoys, expected] of [
  ['of 520 unknown names from 520 networks', (index: number) => [`nobody-${index}`, index], '203.0.113.9'],
  ['of 520 pairs of a known user and a network', (index: number) => ['root', index], ''],
] as const) {
  test(`after failures ${title}, an attacked user is still in the trail`, async (t) => {
    const service = await startService(t, BEHIND_PROXY);
    const root = await service.registerAdministrator('root');
    await service.register('ada');
    const fail = (username: string, address: string) =>
      service.call('GET /api/v1/user', { as: basic(username, 'wrong'), headers: from(address) });
    const count = Number(/\d+/.exec(title));
    for (let index = 0; index < count; index += 1) {
      const [username, network] = decoys(index);
      await fail(String(username), `10.0.${Number(network) >> 8}.${Number(network) & 255}`);
    }
    await fail('ada', '203.0.113.9');
    await fail('ada', '203.0.113.9');
    await runHousekeeping(housekeepingOf(service));
    const line = 'GET /api/v1/audit_events?action=sign_in.failures&items_per_page=1000';
    const { json } = await service.call(line, { as: root });
    const events = json['audit_events'].map(({ resource, details, address }: Record<string, any>) =>
      ({ user: resource.name, count: Number(/count=(\d+)/.exec(details)?.[1]), address }));
    assert.deepEqual(
      events.filter(({ user }: { user: string }) => user === 'ada'),
      [{ user: 'ada', count: 2, address: expected }],
    );
    const sum = events.reduce((total: number, each: { count: number }) => total + each.count, 0);
    assert.equal(sum, count + 2);
  });
}
