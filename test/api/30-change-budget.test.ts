/** `MAX_CHANGES_PER_USER`: a user who is no administrator makes only so many changes in an hour. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, startService } from '../support/service.ts';

test('after 4 changes of 4, every change is 429 until one is regained, but reads are answered', async (t) => {
  const service = await startService(t, { changesPerUserMax: 4 });
  const as = await service.register('eve');
  await service.issueToken(as); // the first change
  const statusOf = async (line: string, json?: object) =>
    (await service.call(line, json === undefined ? { as } : { as, json })).status;
  assert.equal(await statusOf('POST /api/v1/projects', { name: 'engine' }), 201);
  assert.equal(await statusOf('PATCH /api/v1/projects/engine', { description: 'x' }), 200);
  assert.equal(await statusOf('DELETE /api/v1/projects/engine'), 200);
  const refused = await service.expect(429, 'POST /api/v1/projects', { as, json: { name: 'engine' } });
  assert.equal(refused.headers['retry-after'], '900');
  assert.equal(refused.json['type'], '/static/problems.html#too-many-changes');
  for (const line of ['PATCH /api/v1/users/eve', 'POST /api/v1/tokens']) {
    assert.equal(await statusOf(line, {}), 429);
  }
  assert.equal(await statusOf('GET /api/v1/user'), 200);
  service.clock.nowMs += 900_000;
  assert.equal(await statusOf('POST /api/v1/tokens', {}), 201);
});

for (const [title, line, json] of [
  ['revoke the token', 'DELETE /api/v1/token', undefined],
  ['revoke all tokens', 'DELETE /api/v1/tokens', undefined],
  ['revoke a token by its id', 'DELETE /api/v1/tokens/1', undefined],
  [
    'replace the password', 'PUT /api/v1/users/eve/password',
    { password: 'a new one', current_password: 'eve-password' },
  ],
] as const) {
  test(`a thief who spends the budget of the owner does not keep the owner from: ${title}`, async (t) => {
    const service = await startService(t, { changesPerUserMax: 3 });
    const as = await service.register('eve');
    const stolen = await service.issueToken(as);
    const change = () =>
      service.call('PATCH /api/v1/users/eve', { as: stolen, json: { email: 'x@y.example' } });
    assert.deepEqual([(await change()).status, (await change()).status], [200, 429]);
    await service.expect(200, line, { as, ...(json && { json }) });
    await service.expect(401, 'GET /api/v1/user', { as: stolen });
  });
}

test('a thief of a token leaves the owner a tenth of the budget, so a way into the console', async (t) => {
  const service = await startService(t, { changesPerUserMax: 10 });
  const eve = await service.register('eve');
  const stolen = await service.issueToken(eve);
  const statuses: number[] = [];
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const json = { email: `${attempt}@example.org` };
    statuses.push((await service.call('PATCH /api/v1/users/eve', { as: stolen, json })).status);
  }
  assert.deepEqual(statuses, [...Array(8).fill(200), 429, 429]);
  await service.expect(201, 'POST /api/v1/tokens', { as: eve, json: {} });
});

api('tokens of a narrow scope spend nothing of the budget', { changesPerUserMax: 3 }, async (service) => {
  const root = await service.registerAdministrator('root');
  const eve = await service.register('eve');
  const create = async (name: string, as: string) =>
    (await service.call('POST /api/v1/projects', { as, json: { name } })).status;
  const issued = await service.call('POST /api/v1/tokens', { as: eve, json: { scope: 'identity' } });
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assert.equal(await create('x', `Bearer ${issued.json['token']}`), 403);
  }
  const link = await service.call('POST /api/v1/users/eve/password_link', { as: root });
  await service.expect(200, 'PUT /api/v1/users/eve/password', {
    as: `Bearer ${String(link.json['link']).split('/').at(-1)}`, json: { password: 'eve-password' },
  });
  assert.deepEqual([await create('a', eve), await create('b', eve), await create('c', eve)], [201, 201, 429]);
});

api('other users and administrators change as before', { changesPerUserMax: 1 }, async (service) => {
  const [eve, ada] = [await service.register('eve'), await service.register('ada')];
  const root = await service.registerAdministrator('root');
  const create = async (as: string, name: string) =>
    (await service.call('POST /api/v1/projects', { as, json: { name } })).status;
  const statuses = [await create(eve, 'e1'), await create(eve, 'e2'), await create(ada, 'a1')];
  assert.deepEqual(statuses, [201, 429, 201]);
  for (let number = 0; number < 20; number += 1) {
    assert.equal(await create(root, `r${number}`), 201);
  }
});

for (const [title, line, options, counts] of [
  ['a body that is not JSON', 'POST /api/v1/projects', { body: '{' }, false],
  ['a body with an invalid value', 'POST /api/v1/projects', { json: { name: 1 } }, false],
  ['a method that the path lacks', 'PUT /api/v1/projects', {}, false],
  ['a read', 'GET /api/v1/projects', {}, false],
  ['an introspection', 'POST /api/v1/introspect', {
    body: 'token=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }, false],
  ['a wrong sign-in', 'POST /api/v1/token', { as: 'Basic eDp5' }, false],
  ['a taken name', 'POST /api/v1/projects', { json: { name: 'taken' } }, true],
  ['an unknown project', 'DELETE /api/v1/projects/unknown', {}, true],
] as const) {
  test(`${title} ${counts ? 'counts' : 'does not count'} as a change`, async (t) => {
    const service = await startService(t, { changesPerUserMax: 2 });
    const as = await service.register('eve');
    await service.createProject(as, 'taken');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await service.call(line, { as, ...options });
    }
    const { status } = await service.call('POST /api/v1/projects', { as, json: { name: 'next' } });
    assert.equal(status, counts ? 429 : 201);
  });
}
