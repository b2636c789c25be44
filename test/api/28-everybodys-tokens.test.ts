/**
 * Tests `GET /api/v1/tokens?all_users=true` and `last_four`, with which an administrator finds a leaked
 * token.
 */
import assert from 'node:assert/strict';
import { people, type World } from '../support/service.ts';

interface Leak extends World {
  /** Token 1, which belongs to ada. */
  readonly leaked: string;
  listTokens(query: string, as: string): Promise<readonly Record<string, any>[]>;
}

function leak(title: string, run: (world: Leak) => Promise<void>): void {
  people(title, async (world) => run({
    ...world,
    leaked: await world.issueToken(world.ada),
    async listTokens(query, as) {
      return (await world.expect(200, `GET /api/v1/tokens${query}`, { as })).json['tokens'];
    },
  }));
}

const ownersOf = (tokens: readonly Record<string, any>[]) =>
  tokens.map(({ id, username }) => [id, username]);

leak('an administrator finds a leaked token by its last four characters, and revokes it', async (world) => {
  const { expect, leaked, listTokens, root } = world;
  await world.issueToken(root);
  const query = `?all_users=true&last_four=${leaked.slice(-4)}`;
  const [found, ...others] = await listTokens(query, root);
  assert.deepEqual([found?.['username'], found?.['last_four'], others], ['ada', leaked.slice(-4), []]);
  await expect(200, `DELETE /api/v1/tokens/${found?.['id']}`, { as: root });
  assert.deepEqual(await world.signIn(leaked), [401]);
  assert.deepEqual(await listTokens(query, root), []);
});

leak('the tokens of all users are listed by id, in pages, with the username of the owner', async (world) => {
  const { listTokens, root, ada } = world;
  await world.issueToken(root);
  await world.issueToken(ada);
  const all = await listTokens('?all_users=true', root);
  assert.deepEqual(ownersOf(all), [[1, 'ada'], [2, 'root'], [3, 'ada']]);
  const page = await listTokens('?all_users=true&items_per_page=2&page=2', root);
  assert.deepEqual(page, all.slice(2));
});

leak('a token has the username of its owner only in the list of all users', async (world) => {
  const { listTokens, root, ada } = world;
  for (const [query, as] of [['', ada], ['?username=ada', root], ['?all_users=false', ada]] as const) {
    const [token] = await listTokens(query, as);
    assert.equal('username' in (token ?? {}), false, query);
  }
});

leak('the list of all users omits expired and revoked tokens, and shows current usernames', async (world) => {
  const { listTokens, root, ada, leaked } = world;
  const brief = await world.issueToken(ada, '?expiration=1');
  const revoked = await world.issueToken(ada);
  await world.call('DELETE /api/v1/tokens/3', { as: ada });
  world.clock.nowMs += 1_000;
  await world.call('PATCH /api/v1/users/ada', { as: root, json: { username: 'countess' } });
  const all = await listTokens('?all_users=true', root);
  assert.deepEqual(ownersOf(all), [[1, 'countess']]);
  for (const token of [brief, revoked]) {
    assert.deepEqual(await listTokens(`?all_users=true&last_four=${token.slice(-4)}`, root), []);
  }
  assert.equal((await listTokens(`?all_users=true&last_four=${leaked.slice(-4)}`, root)).length, 1);
});

leak('last_four finds only tokens of the caller, or of the named user', async (world) => {
  const { listTokens, root, ada, leaked } = world;
  const query = `last_four=${leaked.slice(-4)}`;
  assert.equal((await listTokens(`?${query}`, ada)).length, 1);
  assert.equal((await listTokens(`?username=ada&${query}`, root)).length, 1);
  assert.equal((await listTokens(`?${query}`, root)).length, 0);
});

for (const value of [
  'abc', 'abcde', 'ab%20c', 'ab%2B4', '%C3%A4bcd', "a'b1", 'abc%0A', 'a%00bc', '%25%25%25%25',
]) {
  people(`last_four=${value} is 400`, async ({ ada: as, expect }) => {
    const { json } = await expect(400, `GET /api/v1/tokens?last_four=${value}`, { as });
    assert.equal(json['errors'][0].parameter, 'last_four');
  });
}

for (const query of ['all_users=true&username=ada', 'all_users=true&username=root', 'all_users=yes',
  'all_users=true&all_users=true', 'last_four=abcd&last_four=abcd']) {
  people(`GET /api/v1/tokens?${query} is 400`, async ({ expect, root: as }) => {
    await expect(400, `GET /api/v1/tokens?${query}`, { as });
  });
}

/** DELETE refuses these queries, because it would revoke more tokens than the list shows. */
for (const query of [
  'last_four=abcd', 'all_users=true', 'last_four=&username=root', 'long_lived=true', 'sort=expiration_date',
]) {
  people(`DELETE /api/v1/tokens?${query} is 400 and revokes nothing`, async (world) => {
    const { root } = world;
    const token = await world.issueToken(root);
    await world.expect(400, `DELETE /api/v1/tokens?${query}`, { as: root });
    assert.deepEqual(await world.signIn(token), [200]);
  });
}

leak('empty all_users and last_four count as absent', async (world) => {
  const { listTokens, ada } = world;
  assert.equal((await listTokens('?all_users=&last_four=&username=', ada)).length, 1);
});

leak('tokens are sorted by expiry in both directions, across pages and equal dates', async (world) => {
  const { listTokens, root, ada } = world; // token 1 lives for 600 seconds
  for (const seconds of [86_401, 60, 86_400, 86_401]) { // these are tokens 2 to 5
    await world.issueToken(ada, `?expiration=${seconds}`);
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
    assert.deepEqual((await listTokens(query, root)).map(({ id }) => id), ids, query);
  }
});
