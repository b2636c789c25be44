/** 16-access.test.ts tests scopes. */
import assert from 'node:assert/strict';
import { answers, people, shared, startWorld, type TestService } from '../support/service.ts';

const LIST = 'GET /api/v1/tokens';
const CREATE = 'POST /api/v1/tokens';

async function create(service: TestService, as: string, json: object = {}) {
  const { token, ...record } = (await service.expect(201, CREATE, { as, json })).json;
  return { as: `Bearer ${token}`, token: String(token), record, id: Number(record['id']) };
}

people('POST /api/v1/tokens is 201 with the record of the token and, only here, its text', async (world) => {
  // The service ignores unknown members, such as `renewable`.
  const json = { name: 'nightly report', expiration: 3600, scope: 'read_only', renewable: 'yes' };
  const { headers, json: { token, ...record } } = await world.expect(201, CREATE, { as: world.ada, json });
  assert.equal(headers['location'], '/api/v1/tokens/1');
  assert.match(token, /^rollcall_[\w-]{49}$/);
  assert.deepEqual(record, {
    id: 1, name: 'nightly report', last_four: token.slice(-4), scope: 'read_only', audience: null,
    date_created: '2026-01-01T00:00:00.000Z', expiration_date: '2026-01-01T01:00:00.000', last_used: null,
  });
  assert.deepEqual((await world.expect(200, `${LIST}/1`, { as: world.ada })).json, record);
  const { json: usual } = await world.expect(201, CREATE, { as: world.ada });
  assert.deepEqual([usual['name'], usual['scope'], usual['expiration_date']], [
    '', 'full', '2026-01-01T00:10:00.000',
  ]);
});

answers('POST /api/v1/tokens*', [
  { expiration: 0 }, { expiration: 31_536_001 }, { expiration: 0.5 }, { expiration: '60' },
  { scope: 'write_only' }, { name: 'x'.repeat(101) }, { name: 'a\nb' }, { name: 'laptop\u202egnp.exe' },
  { name: 'a\u2028b' }, [],
].map((json) => ['ada', '', json, 400] as const), {
  async check(_, { json }, sent) {
    assert.equal(json['errors'][0].pointer, Object.keys(sent as object).map((name) => `/${name}`).join());
  },
});

people('a response lists at most 100 mistakes of a body', async ({ ada: as, expect }) => {
  const { json } = await expect(400, CREATE, { as, json: { audience: Array(200).fill(1) } });
  assert.equal(json['errors'].length, 100);
});

people('GET /api/v1/tokens lists only valid tokens of the caller, in pages, no text', async (service) => {
  const { ada, eve, expect } = service;
  const heart = { name: '\u2764\ufe0f' };
  const tokens = [await create(service, ada, heart), await create(service, ada, { name: 'b' })];
  await create(service, eve);
  const { id: expiring } = await create(service, ada, { expiration: 1 });
  const { token: revoked, id } = await create(service, ada);
  await expect(200, `DELETE /api/v1/tokens/${id}`, { as: ada });
  for (const [laterMs, status, count] of [[999, 200, '3'], [1, 404, '2']] as const) {
    service.clock.nowMs += laterMs;
    await expect(status, `${LIST}/${expiring}`, { as: ada });
    assert.equal((await expect(200, LIST, { as: ada })).headers['count'], count);
  }
  const issued = await service.issueToken(ada); // POST /api/v1/token also adds a token to the collection
  const { headers, json, text } = await expect(200, LIST, { as: ada });
  assert.equal(json['tokens'].pop().last_four, issued.slice(-4));
  assert.deepEqual(json, { tokens: tokens.map(({ record }) => record) });
  assert.deepEqual([headers['count'], headers['page'], headers['items_per_page']], ['3', '1', '1000']);
  assert.ok(![revoked, ...tokens.map(({ token }) => token)].some((token) => text.includes(token)));
  const page = await expect(200, `${LIST}?items_per_page=1&page=2`, { as: ada });
  assert.deepEqual(page.json, { tokens: [tokens[1]?.record] });
});

/** Token 1 belongs to ada. */
people.each('GET and DELETE /api/v1/tokens{1} by {0} are {2}', [
  ['root', '?username=ADA', 200], ['root', '?username=nobody', 404], ['ada', '?username=Ada', 200],
  ['eve', '?username=ada', 403], ['eve', '?username=nobody', 403],
  ['ada', '/1', 200], ['root', '/1', 200], ['eve', '/1', 404],
  ...['0', '2', 'x', '-1', '1.0', '9'.repeat(30), '%00'].map((id) => ['ada', `/${id}`, 404] as const),
], async (world, [caller, path, status]) => {
  const { as, record } = await create(world, world.ada);
  const read = await world.expect(status, `${LIST}${path}`, { as: world[caller] });
  assert.deepEqual(await world.signIn(as), [200]);
  const deleted = await world.expect(status, `DELETE /api/v1/tokens${path}`, { as: world[caller] });
  assert.deepEqual(await world.signIn(as), [status === 200 ? 401 : 200]);
  await world.expect(status === 200 ? 404 : 200, `${LIST}/1`, { as: world.ada });
  if (status === 200) {
    assert.deepEqual(read.json, path === '/1' ? record : { tokens: [record] });
    assert.deepEqual(deleted.json, { token_status: 'deleted' });
  }
});

/** Tokens 1 to 5 belong to ada, and token 6 belongs to root. */
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

// `LEAK` is `last_four=`, followed by the last characters of token 1. `2 ada` is token 2 of ada.
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

// If DELETE ignored these filters, DELETE would revoke more tokens than the list shows.
reads.each('{0} is 400 and revokes nothing', [
  'GET /api/v1/tokens?all_users=true&username=ada', 'GET /api/v1/tokens?all_users=true&username=root',
  'GET /api/v1/tokens?all_users=yes', 'GET /api/v1/tokens?all_users=true&all_users=true',
  'GET /api/v1/tokens?last_four=abcd&last_four=abcd',
  ...['abc', 'abcde', 'ab%20c', 'ab%2B4', '%C3%A4bcd', "a'b1", 'abc%0A', 'a%00bc', '%25%25%25%25']
    .map((value) => `GET /api/v1/tokens?last_four=${value}`),
  'DELETE /api/v1/tokens?last_four=abcd', 'DELETE /api/v1/tokens?all_users=true',
  'DELETE /api/v1/tokens?last_four=&username=root', 'DELETE /api/v1/tokens?long_lived=true',
  'DELETE /api/v1/tokens?sort=expiration_date',
], async ({ expect, root: as }, line) => {
  await expect(400, line, { as });
  await expect(200, 'GET /api/v1/tokens/6', { as });
});
