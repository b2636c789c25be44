/** One-time links for passwords: for a forgotten password, and for invitations. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Config } from '../../src/config.ts';
import { operations } from '../support/operations.ts';
import { api, basic, startService, type TestService } from '../support/service.ts';

async function start(t: TestContext, settings: Partial<Config> = {}) {
  const service = await startService(t, settings);
  const root = await service.registerAdministrator('root');
  const ada = await service.register('ada');
  return { service, root, ada };
}

/** Makes a link. @returns The credentials of the link. */
async function makeLink(service: TestService, as: string, user = 'ada'): Promise<string> {
  const { status, json, text } = await service.call(`POST /api/v1/users/${user}/password_link`, { as });
  assert.equal(status, 201, text);
  return `Bearer ${String(json['link']).split('/').at(-1)}`;
}

function setPassword(service: TestService, as: string, user = 'ada', password = 'chosen by ada') {
  return service.call(`PUT /api/v1/users/${user}/password`, { as, json: { password } });
}

test('a link is a path whose secret stands after #, valid for a day', async (t) => {
  const { service, root } = await start(t);
  const { json, headers } = await service.call('POST /api/v1/users/ada/password_link', { as: root });
  assert.match(json['link'], /^\/static\/console\/#\/password\/2\/ada\/rollcall_[\w-]{49}$/);
  assert.equal(json['expiration_date'], '2026-01-02T00:00:00.000');
  assert.equal(headers['cache-control'], 'no-store');
});

api('a link has the prefix of BASE_PATH', { basePath: '/rollcall' }, async (service) => {
  const as = await service.registerAdministrator('root');
  const { json } = await service.call('POST /rollcall/api/v1/users/root/password_link', { as });
  assert.match(json['link'], /^\/rollcall\/static\/console\/#\/password\/1\/root\/rollcall_/);
});

test('a link sets the password once, without the old one, and all tokens end', async (t) => {
  const { service, root, ada } = await start(t);
  const token = await service.issueToken(ada);
  const link = await makeLink(service, root);
  assert.equal((await setPassword(service, link)).status, 200);
  assert.equal((await setPassword(service, link, 'ada', 'again')).status, 401);
  await service.expect(401, 'GET /api/v1/user', { as: token });
  await service.expect(401, 'GET /api/v1/user', { as: ada });
  await service.expect(200, 'GET /api/v1/user', { as: basic('ada', 'chosen by ada') });
});

test('of two uses of one link at the same time, one succeeds', async (t) => {
  const { service, root } = await start(t);
  const link = await makeLink(service, root);
  const answers = await Promise.all(['one', 'two', 'three'].map((word) =>
    setPassword(service, link, 'ada', `password ${word}`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
});

test('a new link ends the older one', async (t) => {
  const { service, root } = await start(t);
  const [older, newer] = [await makeLink(service, root), await makeLink(service, root)];
  assert.equal((await setPassword(service, older)).status, 401);
  assert.equal((await setPassword(service, newer)).status, 200);
});

test('a link is 401 after a day, and while its user is disabled', async (t) => {
  const { service, root } = await start(t);
  const link = await makeLink(service, root);
  await service.call('PATCH /api/v1/users/ada', { as: root, json: { disabled: true } });
  assert.equal((await setPassword(service, link)).status, 401);
  await service.call('PATCH /api/v1/users/ada', { as: root, json: { disabled: false } });
  service.clock.nowMs += 86_400_000;
  assert.equal((await setPassword(service, link)).status, 401);
});

test('a link sets the password of no other user, nor tells whether there is one', async (t) => {
  const { service, root } = await start(t);
  await service.register('eve');
  const link = await makeLink(service, root);
  const answers = [await setPassword(service, link, 'eve'), await setPassword(service, link, 'nobody')];
  assert.deepEqual(answers.map(({ status, json }) => [status, json['detail']]), [
    [403, answers[0]?.json['detail']], [403, answers[0]?.json['detail']],
  ]);
  const own = await makeLink(service, root, 'root');
  assert.equal((await setPassword(service, own, 'ada')).status, 403);
  assert.equal((await setPassword(service, own, '1', 'chosen by root')).status, 200);
});

for (const [id, { method, path, access }] of Object.entries(operations)) {
  if (access === 'public' || access === 'secret' || id === 'changePassword') {
    continue;
  }
  test(`with a link, ${method} ${path} is 403`, async (t) => {
    const { service, root } = await start(t);
    const as = await makeLink(service, root);
    const line = `${method} ${path.replace(/\{\w+\}/g, '1')}`;
    for (let count = 0; count < 2; count += 1) { // the second time with a known token
      const form = { body: 'token=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
      const answer = await service.call(line, { as, ...(id === 'introspectToken' && form) });
      assert.equal(answer.status, 403, answer.text);
    }
  });
}

test('the secret of a link is inactive in introspection', async (t) => {
  const { service, root, ada } = await start(t);
  const link = await makeLink(service, root);
  const body = `token=${link.replace('Bearer ', '')}`;
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const { text } = await service.call('POST /api/v1/introspect', { as: ada, body, headers });
  assert.equal(text, '{"active":false}');
});

test('a link is made by administrators: for plain users also with a token, for others with the password',
  async (t) => {
    const { service, root, ada } = await start(t);
    await service.registerAdministrator('other');
    const token = await service.issueToken(root);
    for (const [as, user, expected] of [
      [ada, 'root', 403], [ada, 'ada', 403], [undefined, 'ada', 401], [token, 'ada', 201],
      [token, 'other', 403], [token, 'root', 403], [root, 'other', 201], [root, 'nobody', 404],
    ] as const) {
      const answer = await service.call(`POST /api/v1/users/${user}/password_link`, { as });
      assert.equal(answer.status, expected, answer.text);
    }
  });

test('a link ends when its user becomes an administrator', async (t) => {
  const { service, root } = await start(t);
  const link = await makeLink(service, await service.issueToken(root));
  await service.call('PATCH /api/v1/users/ada', { as: root, json: { is_admin: true } });
  assert.equal((await setPassword(service, link)).status, 401);
});

interface Links {
  readonly service: TestService;
  readonly root: string;
  readonly boss: string;
  readonly bossToken: string;
}

/** Events after boss, an administrator, made a link. The last member tells whether the link ends. */
for (const [title, happens, ends] of [
  ['is demoted', ({ service, root }: Links) =>
    service.call('PATCH /api/v1/users/boss', { as: root, json: { is_admin: false } }), true],
  ['is disabled', ({ service, root }) =>
    service.call('PATCH /api/v1/users/boss', { as: root, json: { disabled: true } }), true],
  ['is deleted', ({ service, root }) => service.call('DELETE /api/v1/users/boss', { as: root }), true],
  ['gets a new password', ({ service, root }) =>
    service.call('PUT /api/v1/users/boss/password', { as: root, json: { password: 'a new one' } }), true],
  ['sets a new password', ({ service, boss }) => service.call('PUT /api/v1/users/boss/password', {
    as: boss, json: { password: 'a new one', current_password: 'boss-password' },
  }), true],
  ['revokes all tokens', ({ service, boss }) => service.call('DELETE /api/v1/token', { as: boss }), true],
  ['has all tokens revoked by another', ({ service, root }) =>
    service.call('DELETE /api/v1/token?username=boss', { as: root }), true],
  ['signs out', ({ service, bossToken }) => service.call('DELETE /api/v1/token', { as: bossToken }), false],
  ['changes the own email', ({ service, bossToken }) => service.call('PATCH /api/v1/users/boss', {
    as: bossToken, json: { email: 'new@example.org' },
  }), false],
  ['corrects the username of the link', ({ service, boss }) =>
    service.call('PATCH /api/v1/users/ada', { as: boss, json: { username: 'adele' } }), false],
] as const satisfies readonly (readonly [string, (links: Links) => Promise<{ status: number }>, boolean])[]) {
  test(`a link ${ends ? 'ends' : 'works on'} when its maker ${title}`, async (t) => {
    const { service, root } = await start(t);
    const boss = await service.registerAdministrator('boss');
    const bossToken = await service.issueToken(boss);
    const link = await makeLink(service, bossToken);
    assert.equal((await happens({ service, root, boss, bossToken })).status, 200);
    assert.equal((await setPassword(service, link, '2')).status, ends ? 401 : 200);
  });
}

test('the link of a maker without a token ends when all tokens are revoked', async (t) => {
  const { service, root } = await start(t);
  const link = await makeLink(service, root);
  await service.expect(200, 'DELETE /api/v1/token', { as: root });
  assert.equal((await setPassword(service, link)).status, 401);
});

test('the secret of a link is in no log line, and the trail names who made it for whom', async (t) => {
  const { service, root } = await start(t);
  const link = await makeLink(service, root);
  await setPassword(service, link);
  await setPassword(service, link);
  assert.ok(!service.logLines.join('').includes(link.replace('Bearer ', '')));
  const { json } = await service.call('GET /api/v1/audit_events?action=user.password_link', { as: root });
  const [event] = json['audit_events'];
  assert.deepEqual([event.resource.name, event.user.username], ['ada', 'root']);
  assert.ok(!JSON.stringify(json).includes('rollcall_'));
});

test('an administrator leaves the password out, and the invited user signs in by link only', async (t) => {
  const { service, root } = await start(t);
  const json = { username: 'eve', email: 'eve@example.org' };
  const invited = await service.call('POST /api/v1/users', { as: root, json });
  assert.equal(invited.status, 201, invited.text);
  for (const password of ['', ' ', 'x', 'eve']) {
    await service.expect(401, 'GET /api/v1/user', { as: basic('eve', password) });
  }
  const link = await makeLink(service, await service.issueToken(root), 'eve');
  assert.equal((await setPassword(service, link, 'eve', 'chosen by eve')).status, 200);
  await service.expect(200, 'GET /api/v1/user', { as: basic('eve', 'chosen by eve') });
});

for (const registration of ['open', 'closed'] as const) {
  test(`with registration ${registration}, only administrators may leave the password out`, async (t) => {
    const { service, root, ada } = await start(t);
    const shared = await startService(t, { registration }, service.database);
    const { json } = await service.call('POST /api/v1/tokens', { as: root, json: { scope: 'identity' } });
    const json2 = { username: 'eve', email: 'eve@example.org' };
    const plain = registration === 'open' ? 400 : 403;
    for (const [as, expected] of [
      [undefined, registration === 'open' ? 400 : 401], [ada, plain], [await service.issueToken(ada), plain],
      [`Bearer ${json['token']}`, plain], [await service.issueToken(root), 201],
    ] as const) {
      const answer = await shared.call('POST /api/v1/users', { as, json: json2 });
      assert.equal(answer.status, expected, answer.text);
    }
  });
}

test('administrators see who is invited until the password is set; other users do not', async (t) => {
  const { service, root, ada } = await start(t);
  await service.call('POST /api/v1/users', {
    as: root, json: { username: 'eve', email: 'eve@example.org' },
  });
  const invitedOf = async (as: string) => {
    const { json } = await service.call('GET /api/v1/users', { as });
    const records = ['ada', 'eve'].map(async (name) =>
      (await service.call(`GET /api/v1/users/${name}`, { as })).json['invited']);
    return [...json['users'].map(({ invited }: any) => invited), ...await Promise.all(records)];
  };
  const listInvited = async () => {
    const { json } = await service.call('GET /api/v1/users?state=invited', { as: root });
    return json['users'].map(({ username }: any) => username);
  };
  assert.deepEqual(await invitedOf(root), [false, false, true, false, true]);
  assert.deepEqual(await invitedOf(ada), Array(5).fill(undefined));
  assert.deepEqual(await listInvited(), ['eve']);
  const json = { email: 'new@example.org' };
  const { headers: { etag } } = await service.call('GET /api/v1/users/eve', { as: root });
  const changed = await service.call('PATCH /api/v1/users/eve', {
    as: root, json, headers: { 'If-Match': String(etag) },
  });
  assert.equal(changed.json['invited'], true);
  await setPassword(service, await makeLink(service, root, 'eve'), 'eve', 'chosen by eve');
  assert.deepEqual(await invitedOf(root), Array(5).fill(false));
  assert.deepEqual(await listInvited(), []);
});

test('state=invited is for administrators, and combines with other filters', async (t) => {
  const { service, root, ada } = await start(t);
  for (const username of ['eve', 'mallory']) {
    await service.call('POST /api/v1/users', { as: root, json: { username, email: 'e@example.org' } });
  }
  const refused = await service.call('GET /api/v1/users?state=invited', { as: ada });
  assert.deepEqual([refused.status, refused.json['detail']], [
    403, 'Only an administrator may list invited users',
  ]);
  await service.expect(200, 'GET /api/v1/users?state=enabled', { as: ada });
  for (const [query, names] of [
    ['state=invited&sort=-username', ['mallory', 'eve']], ['state=invited&contains=v', ['eve']],
    ['state=invited&items_per_page=1&page=2', ['mallory']], ['state=invited&role=administrator', []],
    ['state=enabled', ['root', 'ada', 'eve', 'mallory']],
  ] as const) {
    const { json } = await service.call(`GET /api/v1/users?${query}`, { as: root });
    assert.deepEqual(json['users'].map(({ username }: any) => username), names, query);
  }
});
