/** Tests links with which invited or forgetful users set a password once. */
import assert from 'node:assert/strict';
import { api, atOnce, basic, people, startService, type World } from '../support/service.ts';

/** Sets a password with a link. @returns The status. */
async function setPassword(
  { call }: World, as: string, user = 'ada', password = 'chosen by ada',
): Promise<number> {
  return (await call(`PUT /api/v1/users/${user}/password`, { as, json: { password } })).status;
}

for (const basePath of ['', '/rollcall']) {
  const title = `a link is a path below "${basePath}" whose secret stands after #, valid for a day`;
  api(title, { basePath }, async ({ expect, registerAdministrator }) => {
    const as = await registerAdministrator('root');
    const line = `POST ${basePath}/api/v1/users/root/password_link`;
    const { headers, json } = await expect(201, line, { as });
    const [path, secret] = json['link'].split('rollcall_');
    assert.equal(path, `${basePath}/static/console/#/password/1/root/`);
    assert.match(secret, /^[\w-]{49}$/);
    assert.equal(json['expiration_date'], '2026-01-02T00:00:00.000');
    assert.equal(headers['cache-control'], 'no-store');
  });
}

people('a link sets the password once, without the old one, and all tokens end', async (world) => {
  const { ada } = world;
  const token = await world.issueToken(ada);
  const link = await world.makeLink(world.root, 'ada');
  assert.equal(await setPassword(world, link), 200);
  assert.equal(await setPassword(world, link, 'ada', 'again'), 401);
  assert.deepEqual(await world.signIn(token, ada, basic('ada', 'chosen by ada')), [401, 401, 200]);
});

people('of three uses of one link at the same time, one succeeds', async (world) => {
  const link = await world.makeLink(world.root, 'ada');
  const statuses = await atOnce(3, async (index) =>
    ({ status: await setPassword(world, link, 'ada', `password ${index}`) }));
  assert.deepEqual(statuses, [200, 401, 401]);
});

people('a new link ends the older one', async (world) => {
  const [older, newer] = [await world.makeLink(world.root, 'ada'), await world.makeLink(world.root, 'ada')];
  assert.deepEqual([await setPassword(world, older), await setPassword(world, newer)], [401, 200]);
});

people('a link is 401 after a day, and while its user is disabled', async (world) => {
  const { expect, root } = world;
  const link = await world.makeLink(root, 'ada');
  await expect(200, 'PATCH /api/v1/users/ada', { as: root, json: { disabled: true } });
  assert.equal(await setPassword(world, link), 401);
  await expect(200, 'PATCH /api/v1/users/ada', { as: root, json: { disabled: false } });
  world.clock.nowMs += 86_400_000;
  assert.equal(await setPassword(world, link), 401);
});

people('a link sets the password of no other user, nor tells whether there is one', async (world) => {
  const { expect, root } = world;
  const as = await world.makeLink(root, 'ada');
  const [eve, nobody] = await Promise.all(['eve', 'nobody'].map((name) =>
    expect(403, `PUT /api/v1/users/${name}/password`, { as, json: { password: 'x' } })));
  assert.equal(eve?.json['detail'], nobody?.json['detail']);
  const own = await world.makeLink(root, 'root');
  assert.equal(await setPassword(world, own, 'ada'), 403);
  assert.equal(await setPassword(world, own, '3', 'chosen by root'), 200);
});

/**
 * 16-access.test.ts tests callers without rights, and 33-sign-in-kinds.test.ts which links need a password.
 */
people('an administrator makes links for users that exist, and with a token no own link', async (world) => {
  const { ada, expect, root } = world;
  for (const [as, user, status] of [
    [ada, 'root', 403], [root, 'nobody', 404], [await world.issueToken(root), 'root', 403],
  ] as const) {
    await expect(status, `POST /api/v1/users/${user}/password_link`, { as });
  }
});

/**
 * Each row is a change of the administrator boss, or of the user ada, for whom boss has created a link. The
 * fifth value of a row is true if the change makes the link invalid. The last value of a row says how boss
 * signed in to create the link.
 */
for (const [title, by, line, json, ends, made = 'bossToken'] of [
  ['its user becomes an administrator', 'root', 'PATCH /api/v1/users/ada', { is_admin: true }, true],
  ['its maker is demoted', 'root', 'PATCH /api/v1/users/boss', { is_admin: false }, true],
  ['its maker is disabled', 'root', 'PATCH /api/v1/users/boss', { disabled: true }, true],
  ['its maker is deleted', 'root', 'DELETE /api/v1/users/boss', undefined, true],
  ['its maker gets a new password', 'root', 'PUT /api/v1/users/boss/password', { password: 'x' }, true],
  ['its maker sets a new password', 'boss', 'PUT /api/v1/users/boss/password',
    { password: 'a new one', current_password: 'boss-password' }, true],
  ['its maker revokes all tokens', 'boss', 'DELETE /api/v1/token', undefined, true],
  ['its maker, who used no token, revokes all tokens', 'boss', 'DELETE /api/v1/token', undefined, true,
    'boss'],
  ['its maker has all tokens revoked', 'root', 'DELETE /api/v1/token?username=boss', undefined, true],
  ['its maker signs out', 'bossToken', 'DELETE /api/v1/token', undefined, false],
  ['its maker changes the own email', 'bossToken', 'PATCH /api/v1/users/boss',
    { email: 'new@example.org' }, false],
  ['its maker corrects its username', 'boss', 'PATCH /api/v1/users/ada', { username: 'adele' }, false],
] as const) {
  people(`a link ${ends ? 'ends' : 'works on'} when ${title}`, async (world) => {
    const boss = await world.registerAdministrator('boss');
    const callers = { root: world.root, boss, bossToken: await world.issueToken(boss) };
    const link = await world.makeLink(callers[made], 'ada');
    await world.expect(200, line, { as: callers[by], json });
    assert.equal(await setPassword(world, link, '1'), ends ? 401 : 200);
  });
}

people('the secret of a link is in no log line, and no token; the trail names the maker', async (world) => {
  const { call, root: as } = world;
  const link = await world.makeLink(as, 'ada');
  const secret = link.replace('Bearer ', '');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const introspected = await call('POST /api/v1/introspect', { as, body: `token=${secret}`, headers });
  assert.equal(introspected.text, '{"active":false}');
  assert.deepEqual([await setPassword(world, link), await setPassword(world, link)], [200, 401]);
  assert.ok(!world.logLines.join('').includes(secret));
  const { json, text } = await call('GET /api/v1/audit_events?action=user.password_link', { as });
  const [event] = json['audit_events'];
  assert.deepEqual([event.resource.name, event.user.username], ['ada', 'root']);
  assert.ok(!text.includes('rollcall_'));
});

const INVITED = { username: 'zoe', email: 'zoe@example.org' };

for (const [registration, anonymous, plain] of [['open', 400, 400], ['closed', 401, 403]] as const) {
  const title = `with registration ${registration}, only administrators may leave the password out`;
  people(title, async (world, t) => {
    const { ada, root, issueToken } = world;
    const shared = await startService(t, { registration }, world.database);
    for (const [as, status] of [
      [undefined, anonymous], [ada, plain], [await issueToken(ada), plain],
      [await world.issueScoped(root, 'identity'), plain], [await issueToken(root), 201],
    ] as const) {
      await shared.expect(status, 'POST /api/v1/users', { as, json: INVITED });
    }
  });
}

people('an invited user signs in by link only, and until then only administrators see so', async (world) => {
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
  const { ada, expect, namesIn, root } = world;
  for (const username of ['mia', 'mallory']) {
    await expect(201, 'POST /api/v1/users', { as: root, json: { ...INVITED, username } });
  }
  const { json } = await expect(403, 'GET /api/v1/users?state=invited', { as: ada });
  assert.equal(json['detail'], 'Only an administrator may list invited users');
  for (const [query, names] of [
    ['state=invited&sort=username', ['mallory', 'mia']], ['state=invited&contains=i', ['mia']],
    ['state=invited&items_per_page=1&page=2', ['mallory']], ['state=invited&role=administrator', []],
    ['state=enabled', ['ada', 'eve', 'root', 'mia', 'mallory']],
  ] as const) {
    assert.deepEqual(await namesIn(`users?${query}`, root), names, query);
  }
});
