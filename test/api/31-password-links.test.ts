import assert from 'node:assert/strict';
import { answers, api, atOnce, basic, people, startService, type World } from '../support/service.ts';

async function setPassword(
  { call }: World, as: string, user = 'ada', password = 'chosen by ada',
): Promise<number> {
  return (await call(`PUT /api/v1/users/${user}/password`, { as, json: { password } })).status;
}

api.each('a link is a path below "{0}" whose secret stands after #, valid for a day', [
  '', '/rollcall',
], async ({ expect, registerAdministrator }, basePath) => {
  const as = await registerAdministrator('root');
  const line = `POST ${basePath}/api/v1/users/root/password_link`;
  const { headers, json } = await expect(201, line, { as });
  const [path, secret] = json['link'].split('rollcall_');
  assert.equal(path, `${basePath}/static/console/#/password/1/root/`);
  assert.match(secret, /^[\w-]{49}$/);
  assert.equal(json['expiration_date'], '2026-01-02T00:00:00.000');
  assert.equal(headers['cache-control'], 'no-store');
}, (basePath) => ({ basePath }));

people('a link sets the password once, even if used concurrently, and revokes all tokens', async (world) => {
  const { ada } = world;
  const token = await world.issueToken(ada);
  const link = await world.makeLink(world.root, 'ada');
  const statuses = await atOnce(3, async () => ({ status: await setPassword(world, link) }));
  assert.deepEqual(statuses, [200, 401, 401]);
  assert.equal(await setPassword(world, link, 'ada', 'again'), 401);
  assert.deepEqual(await world.signIn(token, ada, basic('ada', 'chosen by ada')), [401, 401, 200]);
});

people('a link is 401 after a day', async (world) => {
  const link = await world.makeLink(world.root, 'ada');
  world.clock.nowMs += 86_400_000;
  assert.equal(await setPassword(world, link), 401);
});

people('a link cannot set the password of another user, or reveal whether the user exists', async (world) => {
  const as = await world.makeLink(world.root, 'ada');
  const [eve, nobody] = await Promise.all(['eve', 'nobody'].map((name) =>
    world.expect(403, `PUT /api/v1/users/${name}/password`, { as, json: { password: 'x' } })));
  assert.equal(eve?.json['detail'], nobody?.json['detail']);
  const own = await world.makeLink(world.root, 'root');
  assert.equal(await setPassword(world, own, 'ada'), 403);
  assert.equal(await setPassword(world, own, '3', 'chosen by root'), 200);
});

// 16-access.test.ts tests callers without rights, and 33-sign-in-kinds.test.ts tests sign-ins with a token.
answers('POST /api/v1/users/*/password_link', [
  ['root', 'nobody', undefined, 404], ['root', '99', undefined, 404],
], { check: async (_, { json }) => assert.equal(json['detail'], 'No such user') });

// The last two elements of a row are optional: who makes the link, and the user whose password the link sets.
people.each('a link {0} when {1}', [
  ['ends', 'a newer one is made', 'root', 'POST /api/v1/users/ada/password_link'],
  ['does not work', 'its user is disabled', 'root', 'PATCH /api/v1/users/ada', { disabled: true }],
  ['ends', 'its user becomes an administrator', 'root', 'PATCH /api/v1/users/ada', { is_admin: true }],
  ['ends', 'its maker is demoted', 'root', 'PATCH /api/v1/users/boss', { is_admin: false }],
  ['ends', 'its maker is disabled', 'root', 'PATCH /api/v1/users/boss', { disabled: true }],
  ['ends', 'its maker is deleted', 'root', 'DELETE /api/v1/users/boss'],
  ['ends', 'its maker gets a new password', 'root', 'PUT /api/v1/users/boss/password', { password: 'x' }],
  ['ends', 'its maker sets a new password', 'boss', 'PUT /api/v1/users/boss/password',
    { password: 'a new one', current_password: 'boss-password' }],
  ['ends', 'its maker revokes all tokens', 'boss', 'DELETE /api/v1/token'],
  ['ends', 'its maker, who used no token, revokes all', 'boss', 'DELETE /api/v1/token', undefined, 'boss'],
  ['ends', 'its maker has all tokens revoked', 'root', 'DELETE /api/v1/token?username=boss'],
  ['works on', 'its maker signs out', 'bossToken', 'DELETE /api/v1/token'],
  ['works on', 'its maker changes the own email', 'bossToken', 'PATCH /api/v1/users/boss',
    { email: 'new@example.org' }],
  ['works on', 'its maker corrects its username', 'boss', 'PATCH /api/v1/users/ada', { username: 'adele' }],
  ['works on', 'the same rights of its user are sent again', 'root', 'PATCH /api/v1/users/boss',
    { email: 'new@example.org', is_admin: true, disabled: false }, 'root', 'boss'],
], async (world, [ends, , by, line, json, maker = 'bossToken' as const, user = 'ada']) => {
  const boss = await world.registerAdministrator('boss');
  const callers = { root: world.root, boss, bossToken: await world.issueToken(boss) };
  const link = await world.makeLink(callers[maker], user);
  await world.expect(line.startsWith('POST') ? 201 : 200, line, { as: callers[by], json });
  assert.equal(await setPassword(world, link, user === 'ada' ? '1' : user), ends === 'works on' ? 200 : 401);
});

people('the secret of a link is in no log line, and no token; the trail names the maker', async (world) => {
  const { call, root: as } = world;
  const link = await world.makeLink(as, 'ada');
  const secret = link.replace('Bearer ', '');
  const introspected = await call('POST /api/v1/introspect', { as, form: `token=${secret}` });
  assert.equal(introspected.text, '{"active":false}');
  assert.deepEqual([await setPassword(world, link), await setPassword(world, link)], [200, 401]);
  assert.ok(!world.logLines.join('').includes(secret));
  const events = await world.readTrail(as, '?action=user.password_link');
  assert.deepEqual(events.map(({ resource, user }) => [resource.name, user.username]), [['ada', 'root']]);
  assert.doesNotMatch(JSON.stringify(events), /rollcall_/);
});

const INVITED = { username: 'zoe', email: 'zoe@example.org' };

people.each('with registration {0}, only administrators may leave the password out', [
  ['open', 400, 400], ['closed', 401, 403],
], async ({ ada, database, issueScoped, issueToken, root }, [registration, anonymous, plain], t) => {
  const { expect } = await startService(t, { registration }, database);
  for (const [as, status] of [
    [undefined, anonymous], [ada, plain], [await issueToken(ada), plain],
    [await issueScoped(root, 'identity'), plain], [await issueToken(root), 201],
  ] as const) {
    await expect(status, 'POST /api/v1/users', { as, json: INVITED });
  }
});

people('only a link lets an invited user in; only administrators see who is invited', async (world) => {
  const { ada, call, expect, namesIn, root } = world;
  await expect(201, 'POST /api/v1/users', { as: root, json: INVITED });
  const invitedOf = async (as: string) => {
    const { json: { users } } = await call('GET /api/v1/users', { as });
    const records = await Promise.all(['1', 'zoe'].map((name) => call(`GET /api/v1/users/${name}`, { as })));
    return [...users, ...records.map(({ json }) => json)].map(({ invited }) => invited);
  };
  assert.deepEqual(await invitedOf(root), [false, false, false, true, false, true]);
  assert.deepEqual(await invitedOf(ada), Array(6).fill(undefined));
  assert.deepEqual(await namesIn('users?state=invited', root), ['zoe']);
  const changed = await expect(200, 'PATCH /api/v1/users/zoe', { as: root, json: { email: 'z@z.example' } });
  assert.equal(changed.json['invited'], true);
  const guesses = ['', ' ', 'x', 'zoe'].map((password) => basic('zoe', password));
  assert.deepEqual(await world.signIn(...guesses), [401, 401, 401, 401]);
  const link = await world.makeLink(await world.issueToken(root), 'zoe');
  assert.equal(await setPassword(world, link, 'zoe', 'chosen by zoe'), 200);
  assert.deepEqual(await world.signIn(basic('zoe', 'chosen by zoe')), [200]);
  assert.deepEqual(await invitedOf(root), Array(6).fill(false));
  assert.deepEqual(await namesIn('users?state=invited', root), []);
});

people('state=invited is for administrators, and combines with other filters', async (world) => {
  for (const username of ['mia', 'mallory']) {
    await world.expect(201, 'POST /api/v1/users', { as: world.root, json: { ...INVITED, username } });
  }
  const { json } = await world.expect(403, 'GET /api/v1/users?state=invited', { as: world.ada });
  assert.equal(json['detail'], 'Only an administrator may list invited users');
  for (const [query, names] of [
    ['state=invited&sort=username', ['mallory', 'mia']], ['state=invited&contains=i', ['mia']],
    ['state=invited&items_per_page=1&page=2', ['mallory']], ['state=invited&role=administrator', []],
    ['state=enabled', ['ada', 'eve', 'root', 'mia', 'mallory']],
  ] as const) {
    assert.deepEqual(await world.namesIn(`users?${query}`, world.root), names, query);
  }
});
