/** Tests the orders and filters of lists of tokens, with which an administrator finds a leaked token. */
import assert from 'node:assert/strict';
import { people, shared, startWorld } from '../support/service.ts';

/** Defines a test that only reads. Ada has tokens 1 to 5, and root has token 6, which lives for a year. */
const reads = shared(async (t) => {
  const world = await startWorld(t);
  const leak = `last_four=${(await world.issueToken(world.ada)).slice(-4)}`;
  for (const seconds of [86_401, 60, 86_400, 86_401]) {
    await world.issueToken(world.ada, `?expiration=${seconds}`);
  }
  await world.issueToken(world.root, '?expiration=31536000');
  return { ...world, leak };
});

const EVERYBODYS = ['1 ada', '2 ada', '3 ada', '4 ada', '5 ada', '6 root'];

// `LEAK` stands for the filter by the last four characters of token 1. A token is given as id and owner.
reads.each('GET /api/v1/tokens{1} by {0} lists {2}', [
  ['root', '?all_users=true', EVERYBODYS],
  ['root', '?all_users=true&items_per_page=4&page=2', ['5 ada', '6 root']],
  ['root', '?all_users=true&LEAK', ['1 ada']],
  ['root', '?all_users=true&sort=expiration_date', ['3 ada', '1 ada', '4 ada', '2 ada', '5 ada', '6 root']],
  ['root', '?all_users=true&sort=-expiration_date', ['6 root', '5 ada', '2 ada', '4 ada', '1 ada', '3 ada']],
  ['root', '?all_users=true&sort=expiration_date&items_per_page=2&page=2', ['4 ada', '2 ada']],
  ['root', '?all_users=true&sort=expiration_date&long_lived=true', ['2 ada', '5 ada', '6 root']],
  ['root', '?all_users=true&long_lived=true', ['2 ada', '5 ada', '6 root']],
  ['root', '?all_users=true&long_lived=false', EVERYBODYS],
  ['root', '?username=ada&sort=expiration_date', [3, 1, 4, 2, 5]],
  ['root', '?username=ada&sort=-id', [5, 4, 3, 2, 1]],
  ['root', '?username=ada&long_lived=true&sort=-expiration_date', [5, 2]],
  ['root', '?username=ada&LEAK', [1]],
  ['root', '?LEAK', []],
  ['ada', '?LEAK', [1]],
  ['ada', '?all_users=false', [1, 2, 3, 4, 5]],
  ['ada', '?all_users=&last_four=&username=', [1, 2, 3, 4, 5]],
], async (world, [caller, query, expected]) => {
  const line = `GET /api/v1/tokens${query.replace('LEAK', world.leak)}`;
  const { tokens } = (await world.expect(200, line, { as: world[caller] })).json;
  assert.deepEqual(tokens.map((token: { id: number; username?: string }) =>
    'username' in token ? `${token.id} ${token.username}` : token.id), expected);
});

people('an administrator finds a leaked token by its last four characters, and revokes it', async (world) => {
  const { ada, clock, expect, issueToken, root: as } = world;
  const [kept, leaked] = [await issueToken(ada), await issueToken(ada)];
  const expired = await issueToken(ada, '?expiration=1');
  clock.nowMs += 1_000;
  await expect(200, 'PATCH /api/v1/users/ada', { as, json: { username: 'countess' } });
  const list = async (token: string): Promise<Record<string, unknown>[]> => {
    const line = `GET /api/v1/tokens?all_users=true&last_four=${token.slice(-4)}`;
    return (await expect(200, line, { as })).json['tokens'];
  };
  const [found] = await list(leaked);
  assert.deepEqual([found?.['last_four'], found?.['username']], [leaked.slice(-4), 'countess']);
  await expect(200, `DELETE /api/v1/tokens/${found?.['id']}`, { as });
  assert.deepEqual(await world.signIn(leaked, kept), [401, 200]);
  assert.deepEqual([await list(leaked), await list(expired), (await list('')).length], [[], [], 1]);
});

reads.each('last_four={0} is 400', [
  'abc', 'abcde', 'ab%20c', 'ab%2B4', '%C3%A4bcd', "a'b1", 'abc%0A', 'a%00bc', '%25%25%25%25',
], async ({ ada: as, expect }, value) => {
  const { json } = await expect(400, `GET /api/v1/tokens?last_four=${value}`, { as });
  assert.equal(json['errors'][0].parameter, 'last_four');
});

// A DELETE that ignored the filters of a list would revoke more tokens than the list shows.
reads.each('{0} is 400 and revokes nothing', [
  'GET /api/v1/tokens?all_users=true&username=ada', 'GET /api/v1/tokens?all_users=true&username=root',
  'GET /api/v1/tokens?all_users=yes', 'GET /api/v1/tokens?all_users=true&all_users=true',
  'GET /api/v1/tokens?last_four=abcd&last_four=abcd',
  'DELETE /api/v1/tokens?last_four=abcd', 'DELETE /api/v1/tokens?all_users=true',
  'DELETE /api/v1/tokens?last_four=&username=root', 'DELETE /api/v1/tokens?long_lived=true',
  'DELETE /api/v1/tokens?sort=expiration_date',
], async ({ expect, root: as }, line) => {
  await expect(400, line, { as });
  await expect(200, 'GET /api/v1/tokens/6', { as });
});
