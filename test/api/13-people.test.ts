import assert from 'node:assert/strict';
import { answers, atOnce, basic, people, times } from '../support/service.ts';

const date_created = '2026-01-01T00:00:00.000Z';

people('PATCH changes email and username, returns the new state, and changes nothing else', async (world) => {
  const work = { name: 'loom "\\/<é😀', description: '\t\r\n"\\/<é😀' };
  await world.createProject(world.ada, work.name, work.description);
  const json = {
    email: 'new@example.org', username: 'Zoë', id: 9, password: 'x', date_created: 'x', version: 1,
  };
  const changed = await world.expect(200, 'PATCH /api/v1/users/ada', { as: world.ada, json });
  const owner = { username: 'Zoë', email: 'new@example.org' };
  assert.deepEqual(changed.json, {
    id: 1, ...owner, date_created, is_admin: false, disabled: false, projects_total: 1,
    projects: [{ id: 1, ...work, date_created, owner }],
  });
  const as = basic('ZOE\u0308', 'ada-password');
  const read = await world.call('GET /api/v1/users/1', { as });
  assert.deepEqual([read.text, read.headers.etag], [changed.text, changed.headers.etag]);
  assert.deepEqual((await world.call('GET /api/v1/projects', { as })).json['projects'][0].owner, owner);
  assert.deepEqual(await world.namesIn('users?contains=O%C3%8B', as), ['Zoë']);
  assert.deepEqual(await world.namesIn('users?contains=ada', as), []);
  assert.deepEqual(await world.signIn(world.ada), [401]);
});

answers('PATCH /api/v1/users/*', [
  ['ada', 'ada', {}, 200], ['ada', '1', { email: 'a@b.example' }, 200],
  ['ada', 'ada', { username: 'ADA' }, 200],
  ['root', 'ada', { username: 'b', email: 'a@b.example', is_admin: true, disabled: true }, 200],
  ['root', 'root', { email: 'a@b.example', is_admin: true }, 200],
  ['ada', 'ada', { username: 'eve' }, 422], ['ada', 'ada', { username: 'EVE' }, 422],
  ['root', 'ada', { username: 'root' }, 422],
  ['ada', 'ada', { email: 'a@b.example', is_admin: false, disabled: false }, 200], // ada's unchanged record
  ['ada', '2', {}, 403], ['ada', 'root', { username: 'x' }, 403],
  ['ada', 'nobody', {}, 404], ['root', '99', {}, 404],
  ['ada', 'ada', { email: 'x' }, 400], ['ada', 'ada', { username: '12' }, 400],
  ['ada', 'ada', { username: '\u0430da' }, 400], // the first letter is Cyrillic
  ['ada', 'ada', { email: null }, 400], ['ada', 'ada', [], 400],
  ['root', 'ada', { is_admin: 1 }, 400], ['root', 'ada', { disabled: 'true' }, 400],
]);

// spec 3-4
people('a disabled user is 401 at once by any sign-in until enabled; the name stays taken', async (world) => {
  const { expect, ada, root } = world;
  const tokens = [await world.issueToken(ada), await world.issueScoped(ada, 'read_only')];
  const change = (disabled: boolean) =>
    expect(200, 'PATCH /api/v1/users/ada', { as: root, json: { disabled } });
  assert.equal((await change(true)).json['disabled'], true);
  const wrong = await world.call('GET /api/v1/user', { as: basic('eve', 'wrong') });
  for (const as of [ada, ...tokens]) {
    const { headers, json } = await expect(401, 'GET /api/v1/user', { as });
    assert.equal(headers['www-authenticate'], wrong.headers['www-authenticate']);
    assert.deepEqual({ ...json, request_id: '' }, { ...wrong.json, request_id: '' });
  }
  const json = { username: 'ada', password: 'x', email: 'x@example.org' };
  await expect(422, 'POST /api/v1/users', { json });
  await change(false);
  assert.deepEqual(await world.signIn(ada, ...tokens), [200, 200, 200]);
});

people.each('{0} {1} {2} of the last administrator who can sign in is 409, and of one of two is 200', [
  ['PATCH', '', { is_admin: false }], ['PATCH', '', { disabled: true }], ['DELETE', ''],
  ['DELETE', '?owned_projects=delete'],
], async ({ expect, registerAdministrator, root: as, signIn }, [method, query, json]) => {
  const second = await registerAdministrator('second');
  const invited = { username: 'invited', email: 'x@example.org' };
  await expect(201, 'POST /api/v1/users', { as, json: invited });
  for (const [name, change] of [['invited', { is_admin: true }], ['second', { disabled: true }]] as const) {
    await expect(200, `PATCH /api/v1/users/${name}`, { as, json: change });
  }
  // The other two administrators cannot sign in: `second` is disabled, and `invited` has no password.
  await expect('409 last-administrator', `${method} /api/v1/users/root${query}`, { as, json });
  await (query === ''
    ? expect(200, 'PATCH /api/v1/users/second', { as, json: { disabled: false } })
    : expect(200, 'PUT /api/v1/users/invited/password', { as, json: { password: 'invited-password' } }));
  await expect(200, `${method} /api/v1/users/root${query}`, { as, json });
  assert.deepEqual(await signIn(query === '' ? second : basic('invited', 'invited-password')), [200]);
});

// Each row ends with two expected statuses: one for `token`, and one for all other tokens of ada.
people.each('PUT …/password {0}', [
  ['with a password revokes all tokens of the user', 'password', 'ada-password', [401, 401]],
  ['with a token keeps it and revokes all other tokens of the user', 'token', 'ada-password', [200, 401]],
  ['by an administrator needs no current one, and revokes all tokens', 'root', undefined, [401, 401]],
], async ({ ada, eve, expect, issueToken, root, signIn }, [, by, current_password, [ofToken, ofOthers]]) => {
  const parent = await issueToken(ada);
  const token = await issueToken(parent);
  const others = [parent, await issueToken(token)];
  const foreign = [await issueToken(eve), await issueToken(root)];
  assert.deepEqual(await signIn(ada), [200]); // now the service caches the password
  const { json } = await expect(200, 'PUT /api/v1/users/ada/password', {
    as: { password: ada, token, root }[by], json: { current_password, password: 'new password' },
  });
  assert.deepEqual(json, { password_status: 'changed' });
  const statuses = await signIn(ada, basic('ada', 'new password'), token, ...others, ...foreign);
  assert.deepEqual(statuses, [401, 200, ofToken, ofOthers, ofOthers, 200, 200]);
});

const current_password = 'ada-password';

answers('PUT /api/v1/users/*/password', [
  ['ada', 'ada', { password: 'new' }, '400 invalid-body'],
  ['root', 'root', { password: 'new' }, '400 invalid-body'],
  ['ada', 'ada', { current_password }, '400 invalid-body'],
  ['ada', 'ada', { current_password: 'wrong', password: 'new' }, '403 wrong-password'],
  ['ada', 'ada', { current_password: '', password: 'new' }, '403 wrong-password'],
  ['ada', 'eve', { current_password: 'eve-password', password: 'new' }, '403 forbidden'],
  ['ada', 'nobody', { password: 'new' }, '404 not-found'],
], {
  async check({ signIn, ada, eve, root }) {
    assert.deepEqual(await signIn(ada, eve, root), [200, 200, 200]);
  },
});

people('a token allows no more guesses at the current password than signing in does', async (world) => {
  const as = await world.issueToken(world.ada);
  const guess = (password: string) => world.call('PUT /api/v1/users/ada/password', {
    as, json: { current_password: password, password: 'mine' },
  });
  const statuses = await atOnce(120, (index) => guess(`guess ${index}`));
  assert.deepEqual(statuses, [...times(100, 403), ...times(20, 429)]);
  // The password is cached, but after too many wrong guesses, the service refuses even this password.
  assert.equal((await guess('ada-password')).status, 429);
  assert.deepEqual(await world.signIn(world.ada), [429]);
});

people('DELETE frees the username but not the id, and the credentials are refused', async (world) => {
  const { ada, expect, signIn } = world;
  const token = await world.issueToken(ada);
  const { json } = await expect(200, 'DELETE /api/v1/users/ada', { as: ada });
  assert.deepEqual(json, { user_status: 'deleted' });
  assert.deepEqual(await signIn(ada, token), [401, 401]);
  await expect(404, 'GET /api/v1/users/ada', { as: world.root });
  assert.equal(await world.register('ada'), ada);
  assert.equal((await world.call('GET /api/v1/user', { as: ada })).json['id'], 4);
  assert.deepEqual(await signIn(token), [401]); // the token of the deleted user
});

answers('DELETE /api/v1/users/*', [
  ['ada', 'ada', undefined, 200], ['root', 'ada', undefined, 200], ['root', '1', undefined, 200],
  ['ada', 'eve', undefined, 403], ['ada', 'nobody', undefined, 404],
  ['ada', 'ada?owned_projects=keep', undefined, 400], ['ada', 'ada?owned_projects=', undefined, 400],
  ['ada', 'ada?owned_projects=transfer', undefined, 400],
  ['ada', 'ada?new_owner=eve', undefined, 400],
  ['ada', 'ada?owned_projects=delete&new_owner=eve', undefined, 400],
  ['ada', 'ada?owned_projects=transfer&new_owner=nobody', undefined, 400],
  ['ada', 'ada?owned_projects=transfer&new_owner=ADA', undefined, 400],
  ['ada', 'ada?owned_projects=transfer&new_owner=eve', undefined, 403],
  ['root', 'ada?owned_projects=transfer&new_owner=eve', undefined, 200],
  ['eve', 'ada?owned_projects=transfer&new_owner=eve', undefined, 403],
], {
  async check({ expect, root }, { status }) {
    await expect(status === 200 ? 404 : 200, 'GET /api/v1/users/ada', { as: root });
  },
});

people.each('DELETE …/ada{0} with two projects is {1}; owners: {2}; limit of projects: {3}', [
  ['', '409 projects-owned', ['ada', 'ada', 'eve'], 3],
  ['?owned_projects=refuse', '409 projects-owned', ['ada', 'ada', 'eve'], 3],
  ['?owned_projects=delete', 200, ['eve'], 3],
  ['?owned_projects=transfer&new_owner=EVE', 200, ['eve', 'eve', 'eve'], 3],
  ['?owned_projects=transfer&new_owner=EVE', '422 too-many-projects', ['ada', 'ada', 'eve'], 2],
], async ({ ada, createProject, eve, expect, root: as }, [query, status, ownersAfter]) => {
  for (const [name, owner] of [['a', ada], ['b', ada], ['c', eve]] as const) {
    await createProject(owner, name);
  }
  await expect(status, `DELETE /api/v1/users/ada${query}`, { as });
  const { json } = await expect(200, 'GET /api/v1/projects', { as });
  assert.deepEqual(json['projects'].map(({ owner }: any) => owner.username), ownersAfter);
}, ([, , , projectsPerUserMax]) => ({ projectsPerUserMax }));

// spec 5-4
people('GET /api/v1/user with a password returns the account of the caller, not of "user"', async (world) => {
  const { ada: as, expect } = world;
  await world.createProject(as, 'engine');
  const { json } = await expect(200, 'GET /api/v1/user', { as });
  const record = (await expect(200, 'GET /api/v1/users/1', { as })).json;
  assert.deepEqual([record['username'], record['projects_total']], ['ada', 1]);
  assert.deepEqual(json, { ...record, role: 'user', sign_in: 'password', token: null });
  await world.register('user');
  assert.equal((await expect(200, 'GET /api/v1/user', { as })).json['username'], 'ada');
  assert.equal((await expect(200, 'GET /api/v1/users/user', { as })).json['username'], 'user');
});

// spec 4.2-6
people('GET /api/v1/user with a token returns the role of the caller and the token in use', async (world) => {
  const as = await world.issueToken(world.root);
  const { json } = await world.call('GET /api/v1/user', { as });
  assert.deepEqual([json['role'], json['is_admin'], json['sign_in']], ['administrator', true, 'token']);
  assert.deepEqual(json['token'], {
    id: 1, name: '', last_four: as.slice(-4), scope: 'full', audience: null,
    date_created, expiration_date: '2026-01-01T00:10:00.000', last_used: date_created,
  });
});

people('an identity token reads its owner without the projects', async ({ ada: as, ...service }) => {
  await service.createProject(as, 'engine');
  const identity = await service.issueScoped(as, 'identity');
  const { json, text, headers } = await service.expect(200, 'GET /api/v1/user', { as: identity });
  const { token, ...account } = json;
  assert.deepEqual(account, {
    id: 1, username: 'ada', email: 'ada@example.org', date_created, is_admin: false, disabled: false,
    role: 'user', sign_in: 'token',
  });
  assert.equal(token.scope, 'identity');
  assert.doesNotMatch(`${text}${headers['link']}`, /engine|projects/);
  for (const scope of ['read_only', 'full']) {
    const other = await service.issueScoped(as, scope);
    const { json: whole } = await service.expect(200, 'GET /api/v1/user', { as: other });
    assert.deepEqual([whole['projects_total'], whole['projects'][0].name], [1, 'engine']);
  }
}, { directory: 'closed' });
