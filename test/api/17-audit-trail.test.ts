import assert from 'node:assert/strict';
import { atOnce, BEHIND_PROXY, people, shared, startWorld, times } from '../support/service.ts';
import { sql } from '../support/sql.ts';

function toLine({ action, resource, details, user, sign_in }: Record<string, any>): string {
  return [action, `${resource.type}:${resource.name}`, details, 'by', user?.username ?? 'nobody', sign_in]
    .filter((part) => part !== '')
    .join(' ');
}

people('an event has user, action, resource, request, address and sign-in', async (world) => {
  const token = await world.issueToken(world.root);
  world.clock.nowMs += 1000;
  // An event contains only the first 64 characters of the request id.
  for (const length of [3, 64, 65, 128]) {
    const headers = { 'X-Request-Id': 'r'.repeat(length) };
    await world.expect(201, 'POST /api/v1/projects', { as: token, json: { name: `p${length}` }, headers });
  }
  const [event, ...others] = await world.readTrail(world.root, '?action=project.create');
  assert.deepEqual(event, {
    id: 5, date_created: '2026-01-01T00:00:01.000Z', action: 'project.create',
    resource: { type: 'project', id: 1, name: 'p3' }, details: '',
    user: { id: 3, username: 'root' }, sign_in: 'token', token_id: 1, request_id: 'rrr', address: '127.0.0.1',
  });
  assert.deepEqual(others.map(({ request_id: id }) => id), Array(3).fill('r'.repeat(64)));
}, BEHIND_PROXY);

// spec 6-1
people('every change of the service is in the trail, in order', async (service) => {
  const { ada, root } = service;
  for (const [line, as, json] of [
    ['POST /api/v1/token', ada], ['POST /api/v1/tokens', ada, { name: 'report', scope: 'read_only' }],
    ['DELETE /api/v1/tokens/2', ada], ['DELETE /api/v1/token', ada], ['POST /api/v1/token', ada],
    ['DELETE /api/v1/token?username=ada', root],
    ['POST /api/v1/projects', ada, { name: 'engine' }],
    ['PATCH /api/v1/projects/engine', ada, { name: 'Engine 2', description: 'x' }],
    ['PATCH /api/v1/projects/1', root, { owner: 'eve' }],
    ['DELETE /api/v1/projects/1', root],
    ['PATCH /api/v1/users/ada', root, { email: 'new@example.org', is_admin: true }],
    ['PATCH /api/v1/users/ada', ada, { username: 'countess' }],
    ['PUT /api/v1/users/countess/password', root, { password: 'correct-horse' }],
    ['PATCH /api/v1/users/countess', root, { disabled: true }],
    ['DELETE /api/v1/users/countess?owned_projects=delete', root],
  ] as const) {
    const { status, text } = await service.call(line, { as, json });
    assert.ok(status < 300, `${line}: ${text}`);
  }
  const events = await service.readTrail(root);
  assert.doesNotMatch(JSON.stringify(events), /example\.org|-password|correct-horse|rollcall_|scrypt/);
  assert.deepEqual(events.map(toLine), [
    'user.create user:ada by nobody none', 'user.create user:eve by nobody none',
    'user.create user:root is_admin=true by nobody program',
    'token.create token: scope=full by ada password',
    'token.create token:report scope=read_only by ada password',
    'token.revoke token:report by ada password', 'token.revoke_all user:ada by ada password',
    'token.create token: scope=full by ada password', 'token.revoke_all user:ada by root password',
    'project.create project:engine by ada password',
    'project.update project:engine name="Engine 2", description by ada password',
    'project.update project:Engine 2 owner_id=2 by root password',
    'project.delete project:Engine 2 by root password',
    'user.update user:ada email, is_admin=true by root password',
    'user.update user:ada username=countess by ada password',
    'user.password user:countess by root password',
    'user.update user:countess disabled=true by root password',
    'user.delete user:countess owned_projects=delete by root password',
  ]);
});

people('the deletion of a user records the transfer or deletion of each project', async (service) => {
  const { ada, root: as } = service;
  await service.createProject(ada, 'a');
  await service.createProject(ada, 'b');
  await service.expect(200, 'DELETE /api/v1/users/ada?owned_projects=transfer&new_owner=eve', { as });
  await service.expect(200, 'DELETE /api/v1/users/eve?owned_projects=delete', { as });
  assert.deepEqual((await service.readTrail(as)).map(toLine).slice(-6), [
    'user.delete user:ada owned_projects=transfer by root password',
    'project.update project:a owner_id=2 by root password',
    'project.update project:b owner_id=2 by root password',
    'user.delete user:eve owned_projects=delete by root password',
    'project.delete project:a by root password', 'project.delete project:b by root password',
  ]);
});

// stores/refusals.test.ts tests that no refused change writes an event.
people('failed changes are not in the trail', async (service) => {
  const { ada, root } = service;
  await service.createProject(ada, 'engine');
  const before = await service.readTrail(root);
  for (const [line, as, json, headers = {}] of [
    ['POST /api/v1/users', ada, { username: 'ADA', password: 'x', email: 'x@example.org' }],
    ['POST /api/v1/projects', ada, { name: 'ENGINE' }],
    ['DELETE /api/v1/users/root', root],
    ['DELETE /api/v1/projects/engine', ada, undefined, { 'If-Match': '"x"' }],
    ['PUT /api/v1/users/ada/password', ada, { password: 'x', current_password: 'wrong' }],
    ['PATCH /api/v1/users/ada', ada, { email: 'ada@example.org' }],
    ['PATCH /api/v1/projects/engine', ada, {}], ['DELETE /api/v1/tokens', ada],
    ['GET /api/v1/users', 'Bearer x'],
  ] as const) {
    await service.call(line, { as, json, headers });
  }
  assert.deepEqual(await service.readTrail(root), before);
});

people('of many concurrent changes, each successful one has one event', async (service) => {
  const { root: as } = service;
  const statuses = await atOnce(10, (index) =>
    service.call('POST /api/v1/projects', { as, json: { name: `p${index % 5}` } }));
  assert.deepEqual(statuses, [...times(5, 201), ...times(5, 422)]);
  const events = await service.readTrail(as, '?action=project.create');
  assert.deepEqual(events.map(({ resource }) => resource.name).sort(), ['p0', 'p1', 'p2', 'p3', 'p4']);
});

/** Events 3, 4 and 5 are one second apart. */
const reads = shared(async (t) => {
  const world = await startWorld(t);
  for (const as of [world.ada, world.root]) {
    world.clock.nowMs += 1000;
    await world.issueToken(as);
  }
  return world;
});

const ALL = [1, 2, 3, 4, 5];

reads.each('GET /api/v1/audit_events{1} is {0}', [
  [ALL, '', '?since=&action=&username=', '?sort=id', '?since=0000-01-01T00:00:00%2B23:59',
    '?since=2024-02-29T00:00:00Z', '?since=2025-12-31t23:59:59.5z'],
  [ALL.toReversed(), '?sort=-id'],
  [[4, 5], '?action=token.create', '?since=2026-01-01T00:00:01Z', '?since=2026-01-01T01:00:01%2B01:00',
    '?since=2026-01-01t00:00:01z', '?since=2026-01-01T00:00:01.000000000000z', '?items_per_page=3&page=2'],
  [[5], '?since=2026-01-01T00:00:01.001Z', '?since=2026-01-01T00:00:02Z&username=root'],
  [[1, 4], '?username=ADA', '?user_id=1'],
  [[1], '?username=ada&action=user.create'],
  [[1, 2, 3], '?items_per_page=3'],
  [[2, 1], '?sort=-id&items_per_page=3&page=2'],
  [[3, 2, 1], '?sort=-id&since=2026-01-01T00:00:00Z&action=user.create'],
  [[], '?user_id=9', '?user_id=2&username=ada', '?since=2027-01-01T00:00:00Z',
    '?since=9999-12-31T23:59:59-23:59'],
  [404, '?username=nobody'],
  [400, '?user_id=0', '?user_id=ada', '?user_id=9007199254740992', '?sort=username', '?action=user.explode',
    '?page=0', '?since=yesterday', '?since=2026-01-01', '?since=2026-02-29T00:00:00Z'],
], async ({ expect, root: as }, [expected, ...queries]) => {
  for (const query of queries) {
    const isStatus = typeof expected === 'number';
    const answer = await expect(isStatus ? expected : 200, `GET /api/v1/audit_events${query}`, { as });
    if (!isStatus) {
      assert.deepEqual(answer.json['audit_events'].map(({ id }: { id: number }) => id), expected);
      assert.equal(answer.headers['count'], String(expected.length));
    }
  }
});

people.each('the database refuses {0}', [
  ['UPDATE audit_events SET action = ?', /Audit events cannot be/],
  ['DELETE FROM audit_events WHERE action <> ?', /Audit events cannot be/],
  ['REPLACE INTO audit_events SELECT * FROM audit_events WHERE action <> ?', /Audit events cannot be/],
  ['DELETE FROM users WHERE username = ?', /FOREIGN KEY/], // a user who owns a project
  ['UPDATE tokens SET digest = ?', /UNIQUE/],
], async (world, [text, message]) => {
  await world.createProject(world.ada, 'engine');
  await world.issueToken(await world.issueToken(world.ada));
  await assert.rejects(world.database.write([sql(text, 'ada')]), message);
  assert.equal((await world.readTrail(world.root)).length, 6);
});

people('acts under a former name are found by the current name, and by the id', async (world) => {
  const { ada, call, root: as } = world;
  const token = await world.issueToken(ada);
  await call('PATCH /api/v1/users/ada', { as, json: { username: 'tmp-771' } });
  await world.createProject(token, 'hidden');
  await call('PATCH /api/v1/users/tmp-771', { as, json: { username: 'Ada' } });
  for (const query of ['?username=ada', '?username=ADA', '?user_id=1', '?user_id=1&username=ada']) {
    assert.deepEqual((await world.readTrail(as, query)).map(toLine), [
      'user.create user:ada by nobody none',
      'token.create token: scope=full by ada password',
      'user.update user:ada username=tmp-771 by root password',
      'project.create project:hidden by tmp-771 token',
      'user.update user:tmp-771 username=Ada by root password',
    ]);
  }
  // An empty list would mean that a user tmp-771 exists and did nothing.
  await world.expect(404, 'GET /api/v1/audit_events?username=tmp-771', { as });
});

people('a deleted user is found by the id, but not by a name that another user has taken', async (world) => {
  await world.createProject(world.ada, 'of the first');
  await world.call('DELETE /api/v1/users/ada?owned_projects=delete', { as: world.root });
  await world.createProject(await world.register('Ada'), 'of the second');
  for (const [query, project, username] of [
    ['user_id=1', 'of the first', 'ada'], ['user_id=4', 'of the second', 'Ada'],
    ['username=ada', 'of the second', 'Ada'],
  ] as const) {
    const events = await world.readTrail(world.root, `?action=project.create&${query}`);
    const found = events.map(({ resource, user }) => [resource.name, user.username]);
    assert.deepEqual(found, [[project, username]], query);
  }
});

const FACE = '\u{1F600}';

// Each row has a title, a name, the expected `resource.name`, and the part of the name that `details` shows.
people.each('a name {0} in events of projects, their deletion with owners, and tokens', [
  ['of 64 characters stands whole', 'x'.repeat(64), 'x'.repeat(64), 'x'.repeat(62)],
  ['of 65 characters is cut off', 'x'.repeat(65), `${'x'.repeat(63)}…`, 'x'.repeat(62)],
  ['of 72 bytes stands whole', FACE.repeat(18), FACE.repeat(18), FACE.repeat(17)],
  ['of 1 020 bytes is cut off', FACE.repeat(255), `${FACE.repeat(17)}…`, FACE.repeat(17)],
], async (service, [, name, shown, quoted]) => {
  await service.createProject(service.eve, 'a');
  await service.call('PATCH /api/v1/projects/a', { as: service.eve, json: { name } });
  await service.call('PATCH /api/v1/projects/1', { as: service.eve, json: { description: 'b' } });
  const token = { name: Array.from(name).slice(0, 100).join('') };
  await service.call('POST /api/v1/tokens', { as: service.eve, json: token });
  await service.call('DELETE /api/v1/users/eve?owned_projects=delete', { as: service.root });
  const events = await service.readTrail(service.root, '?user_id=2');
  const named = events.filter(({ action }) => ['project.update', 'token.create'].includes(action));
  assert.deepEqual(named.map(({ resource }) => resource.name), ['a', shown, shown]);
  assert.equal(named[0].details, `name="${quoted}…`);
  const [deleted] = await service.readTrail(service.root, '?action=project.delete');
  assert.equal(deleted.resource.name, shown);
});
