/** `GET /api/v1/tokens?all_users=true` and `last_four`: an administrator finds a leaked token. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startService, type TestService } from '../support/service.ts';

async function startWithTokens(t: TestContext) {
  const service = await startService(t);
  const root = await service.registerAdministrator('root');
  const ada = await service.register('ada');
  const leaked = await service.issueToken(ada);
  return { service, root, ada, leaked };
}

async function listTokens(service: TestService, query: string, as: string) {
  const { status, json, text } = await service.call(`GET /api/v1/tokens${query}`, { as });
  assert.equal(status, 200, text);
  return json['tokens'];
}

test('an administrator finds a leaked token by its last four characters, and revokes it', async (t) => {
  const { service, root, leaked } = await startWithTokens(t);
  await service.issueToken(root);
  const query = `?all_users=true&last_four=${leaked.slice(-4)}`;
  const [found, ...others] = await listTokens(service, query, root);
  assert.deepEqual([found.username, found.last_four, others], ['ada', leaked.slice(-4), []]);
  await service.expect(200, `DELETE /api/v1/tokens/${found.id}`, { as: root });
  await service.expect(401, 'GET /api/v1/user', { as: leaked });
  assert.deepEqual(await listTokens(service, query, root), []);
});

test('the tokens of all users are listed by id, in pages, each with the username of its owner', async (t) => {
  const { service, root, ada } = await startWithTokens(t);
  await service.issueToken(root);
  await service.issueToken(ada);
  const all = await listTokens(service, '?all_users=true', root);
  assert.deepEqual(all.map(({ id, username }: any) => [id, username]), [[1, 'ada'], [2, 'root'], [3, 'ada']]);
  const page = await listTokens(service, '?all_users=true&items_per_page=2&page=2', root);
  assert.deepEqual(page, all.slice(2));
});

test('a token has the username of its owner only in the list of all users', async (t) => {
  const { service, root, ada } = await startWithTokens(t);
  for (const [query, as] of [['', ada], ['?username=ada', root], ['?all_users=false', ada]] as const) {
    const [token] = await listTokens(service, query, as);
    assert.equal('username' in token, false, query);
  }
});

test('the list of all users omits expired and revoked tokens, and shows current usernames', async (t) => {
  const { service, root, ada, leaked } = await startWithTokens(t);
  const brief = await service.issueToken(ada, '?expiration=1');
  const revoked = await service.issueToken(ada);
  await service.call('DELETE /api/v1/tokens/3', { as: ada });
  service.clock.nowMs += 1_000;
  await service.call('PATCH /api/v1/users/ada', { as: root, json: { username: 'countess' } });
  const all = await listTokens(service, '?all_users=true', root);
  assert.deepEqual(all.map(({ id, username }: any) => [id, username]), [[1, 'countess']]);
  for (const token of [brief, revoked]) {
    assert.deepEqual(await listTokens(service, `?all_users=true&last_four=${token.slice(-4)}`, root), []);
  }
  assert.equal((await listTokens(service, `?all_users=true&last_four=${leaked.slice(-4)}`, root)).length, 1);
});

test('last_four finds only tokens of the caller, or of the named user', async (t) => {
  const { service, root, ada, leaked } = await startWithTokens(t);
  const query = `last_four=${leaked.slice(-4)}`;
  assert.equal((await listTokens(service, `?${query}`, ada)).length, 1);
  assert.equal((await listTokens(service, `?username=ada&${query}`, root)).length, 1);
  assert.equal((await listTokens(service, `?${query}`, root)).length, 0);
});

for (const value of [
  'abc', 'abcde', 'ab%20c', 'ab%2B4', '%C3%A4bcd', "a'b1", 'abc%0A', 'a%00bc', '%25%25%25%25',
]) {
  test(`last_four=${value} is 400`, async (t) => {
    const { service, ada } = await startWithTokens(t);
    const { json } = await service.expect(400, `GET /api/v1/tokens?last_four=${value}`, { as: ada });
    assert.equal(json['errors'][0].parameter, 'last_four');
  });
}

for (const query of ['all_users=true&username=ada', 'all_users=true&username=root', 'all_users=yes',
  'all_users=true&all_users=true', 'last_four=abcd&last_four=abcd']) {
  test(`GET /api/v1/tokens?${query} is 400`, async (t) => {
    const { service, root } = await startWithTokens(t);
    await service.expect(400, `GET /api/v1/tokens?${query}`, { as: root });
  });
}

for (const query of ['last_four=abcd', 'all_users=true', 'last_four=&username=root']) {
  test(`DELETE /api/v1/tokens?${query} is 400 and revokes nothing`, async (t) => {
    const { service, root } = await startWithTokens(t);
    const token = await service.issueToken(root);
    await service.expect(400, `DELETE /api/v1/tokens?${query}`, { as: root });
    await service.expect(200, 'GET /api/v1/user', { as: token });
  });
}

test('empty all_users and last_four count as absent', async (t) => {
  const { service, ada } = await startWithTokens(t);
  assert.equal((await listTokens(service, '?all_users=&last_four=&username=', ada)).length, 1);
});

test('tokens are sorted by expiry in both directions, across pages and equal dates', async (t) => {
  const { service, root, ada } = await startWithTokens(t); // token 1 lives for 600 seconds
  for (const seconds of [86_401, 60, 86_400, 86_401]) { // tokens 2 to 5
    await service.issueToken(ada, `?expiration=${seconds}`);
  }
  for (const [query, ids] of [
    ['?all_users=true&sort=expiration_date', [3, 1, 4, 2, 5]],
    ['?all_users=true&sort=-expiration_date', [5, 2, 4, 1, 3]],
    ['?all_users=true&sort=expiration_date&items_per_page=2&page=2', [4, 2]],
    ['?username=ada&sort=expiration_date', [3, 1, 4, 2, 5]],
    ['?username=ada&sort=-id', [5, 4, 3, 2, 1]],
    ['?all_users=true&sort=expiration_date&long_lived=true', [2, 5]],
    ['?all_users=true&long_lived=true', [2, 5]],
    ['?username=ada&long_lived=true&sort=-expiration_date', [5, 2]],
    ['?all_users=true&long_lived=false', [1, 2, 3, 4, 5]],
  ] as const) {
    assert.deepEqual((await listTokens(service, query, root)).map(({ id }: any) => id), ids, query);
  }
});

for (const query of ['long_lived=true', 'sort=expiration_date']) {
  test(`DELETE /api/v1/tokens?${query} is refused: it would revoke more than the list shows`, async (t) => {
    const { service, ada } = await startWithTokens(t);
    await service.expect(400, `DELETE /api/v1/tokens?${query}`, { as: ada });
    assert.equal((await service.call('GET /api/v1/tokens', { as: ada })).headers['total'], '1');
  });
}
