/** Tests `/api/v1/tokens`: tokens as records, and read-only tokens. */
import assert from 'node:assert/strict';
import { api, people, type TestService } from '../support/service.ts';

const ME = 'GET /api/v1/user';
const LIST = 'GET /api/v1/tokens';
const CREATE = 'POST /api/v1/tokens';

/**
 * Creates a token with `POST /api/v1/tokens`.
 *
 * @returns The record of the token, and the token as credentials.
 */
async function create(service: TestService, as: string, json: object = {}) {
  const answer = await service.expect(201, CREATE, { as, json });
  const { token, ...record } = answer.json;
  return { as: `Bearer ${token}`, token: String(token), record, id: Number(record['id']) };
}

api('POST /api/v1/tokens is 201 with the record of the token and, only here, its text', async (service) => {
  const as = await service.register('ada');
  const json = { name: 'nightly report', expiration: 3600, scope: 'read_only' };
  const { headers, json: { token, ...record } } = await service.expect(201, CREATE, { as, json });
  assert.equal(headers['location'], '/api/v1/tokens/1');
  assert.match(token, /^rollcall_[\w-]{49}$/);
  assert.deepEqual(record, {
    id: 1, name: 'nightly report', last_four: token.slice(-4), scope: 'read_only', audience: null,
    date_created: '2026-01-01T00:00:00.000Z', expiration_date: '2026-01-01T01:00:00.000', last_used: null,
  });
  assert.deepEqual((await service.call('GET /api/v1/tokens/1', { as })).json, record);
});

people('a token without a body is unnamed, of full scope and usual lifetime', async ({ ada: as, expect }) => {
  const { json } = await expect(201, CREATE, { as });
  assert.deepEqual([json['name'], json['scope'], json['expiration_date']], [
    '', 'full', '2026-01-01T00:10:00.000',
  ]);
});

for (const [title, json, pointer] of [
  ['a lifetime of 0', { expiration: 0 }, '/expiration'],
  ['a lifetime of 31536001', { expiration: 31_536_001 }, '/expiration'],
  ['half a second', { expiration: 0.5 }, '/expiration'],
  ['a lifetime that is text', { expiration: '60' }, '/expiration'],
  ['another scope', { scope: 'write_only' }, '/scope'],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, '/name'],
  ['a name with a line end', { name: 'a\nb' }, '/name'],
  ['a name with a right-to-left override', { name: 'laptop\u202egnp.exe' }, '/name'],
  ['a name with a right-to-left mark', { name: 'a\u200fb' }, '/name'],
  ['a name with a zero width space', { name: 'a\u200bb' }, '/name'],
  ['a list', [], ''],
] as const) {
  people(`POST /api/v1/tokens with ${title} is 400`, async ({ ada: as, expect }) => {
    const answer = await expect(400, CREATE, { as, json });
    assert.equal(answer.json['errors'][0].pointer, pointer);
  });
}

people('a token is listed, and found by its id, until the moment of its expiration', async (service) => {
  const { ada: as, expect } = service;
  await create(service, as, { expiration: 10 });
  for (const [laterMs, status] of [[0, 200], [9_999, 200], [1, 404]] as const) {
    service.clock.nowMs += laterMs;
    await expect(status, 'GET /api/v1/tokens/1', { as });
    const { json } = await expect(200, LIST, { as });
    assert.equal(json['tokens'].length, status === 200 ? 1 : 0);
  }
});

people('GET /api/v1/tokens lists only valid tokens of the caller, in pages, no text', async (service) => {
  const { ada, eve, expect } = service;
  const tokens = [await create(service, ada, { name: 'a' }), await create(service, ada, { name: 'b' })];
  await create(service, eve);
  await create(service, ada, { expiration: 1 });
  const { token: revoked, id } = await create(service, ada);
  await expect(200, `DELETE /api/v1/tokens/${id}`, { as: ada });
  service.clock.nowMs += 1000;
  const { headers, json, text } = await expect(200, LIST, { as: ada });
  assert.deepEqual(json, { tokens: tokens.map(({ record }) => record) });
  assert.deepEqual([headers['count'], headers['page'], headers['items_per_page']], ['2', '1', '1000']);
  assert.ok(![revoked, ...tokens.map(({ token }) => token)].some((token) => text.includes(token)));
  const page = await expect(200, `${LIST}?items_per_page=1&page=2`, { as: ada });
  assert.deepEqual(page.json, { tokens: [tokens[1]?.record] });
});

people('POST /api/v1/token adds to the collection too', async ({ ada, expect, issueToken }) => {
  const as = await issueToken(ada);
  const { json } = await expect(200, LIST, { as });
  assert.equal(json['tokens'][0].last_four, as.slice(-4));
});

/**
 * Rows of a request for token 1, which belongs to ada, or for a list of tokens. In a row, GET and DELETE have
 * the same status.
 */
for (const [caller, path, status] of [
  ['root', '?username=ADA', 200], ['root', '?username=nobody', 404], ['ada', '?username=Ada', 200],
  ['eve', '?username=ada', 403], ['eve', '?username=nobody', 403],
  ['ada', '/1', 200], ['root', '/1', 200], ['eve', '/1', 404],
] as const) {
  people(`GET and DELETE /api/v1/tokens${path} by ${caller} are ${status}`, async (world) => {
    const { expect, signIn } = world;
    const { as, record } = await create(world, world.ada);
    const read = await expect(status, `${LIST}${path}`, { as: world[caller] });
    assert.deepEqual(await signIn(as), [200]);
    const deleted = await expect(status, `DELETE /api/v1/tokens${path}`, { as: world[caller] });
    assert.deepEqual(await signIn(as), [status === 200 ? 401 : 200]);
    await expect(status === 200 ? 404 : 200, `${LIST}/1`, { as: world.ada });
    if (status === 200) {
      assert.deepEqual(read.json, path === '/1' ? record : { tokens: [record] });
      assert.deepEqual(deleted.json, { token_status: 'deleted' });
    }
  });
}

api('DELETE /api/v1/tokens revokes all tokens of the caller, including the one in use', async (service) => {
  const [first, eve] = [await service.registerWithToken('ada'), await service.registerWithToken('eve')];
  const second = await service.issueToken(first);
  const { json } = await service.expect(200, 'DELETE /api/v1/tokens', { as: first });
  assert.deepEqual(json, { token_status: 'deleted' });
  assert.deepEqual(await service.signIn(first, second, eve), [401, 401, 200]);
});

for (const segment of ['0', '2', 'x', '-1', '1.0', '9'.repeat(30), '%00']) {
  api(`GET /api/v1/tokens/${segment} is 404 although token 1 exists`, async (service) => {
    const as = await service.registerWithToken('ada');
    await service.expect(404, `${LIST}/${segment}`, { as });
  });
}

people('If-Match keeps a token that another tag names; using a token changes no tag', async (service) => {
  const { ada: as, expect, signIn } = service;
  const [first, second] = [await create(service, as), await create(service, as)];
  const { headers: { etag } } = await expect(200, `${LIST}/${first.id}`, { as });
  assert.deepEqual(await signIn(first.as), [200]);
  const headers = { 'If-Match': String(etag) };
  await expect(412, `DELETE /api/v1/tokens/${second.id}`, { as, headers });
  await expect(200, `DELETE /api/v1/tokens/${first.id}`, { as, headers });
  assert.deepEqual(await signIn(second.as), [200]);
});

people('last_used is written at the first use, and then at most once a minute', async (service) => {
  const { ada, call, clock } = service;
  const { as, id } = await create(service, ada, { expiration: 3600 });
  const lastUsed = async () => (await call(`${LIST}/${id}`, { as: ada })).json['last_used'];
  const seen = [await lastUsed()];
  for (const secondsLater of [0, 59.999, 0.001, 59]) {
    clock.nowMs += secondsLater * 1000;
    await call(ME, { as });
    seen.push(await lastUsed());
  }
  assert.deepEqual(seen, [
    null, ...['00:00', '00:00', '01:00', '01:00'].map((time) => `2026-01-01T00:${time}.000Z`),
  ]);
});

for (const [line, status] of [
  ['GET /api/v1/users', 200], ['HEAD /api/v1/users', 200], [LIST, 200], ['OPTIONS /api/v1/users', 204],
  ['POST /api/v1/token', 403], [CREATE, 403], ['DELETE /api/v1/token', 403], ['DELETE /api/v1/tokens/1', 403],
] as const) {
  people(`${line} with a read-only token is ${status}`, async ({ ada, expect, issueScoped, signIn }) => {
    const as = await issueScoped(ada, 'read_only');
    await expect(status, line, { as });
    assert.deepEqual(await signIn(as), [200]);
  });
}

people('an identity token tells a proxy the name of its owner, whatever the method', async (world) => {
  const as = await world.issueScoped(world.ada, 'identity');
  for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
    const headers = { 'X-Forwarded-Method': method };
    const answer = await world.expect(204, 'GET /api/v1/verify', { as, headers });
    assert.equal(answer.headers['remote-user'], 'ada');
  }
});

for (const renewable of [true, false, 'yes']) {
  people(`POST /api/v1/tokens ignores "renewable": ${String(renewable)}`, async ({ ada: as, expect }) => {
    const { json } = await expect(201, 'POST /api/v1/tokens', { as, json: { renewable } });
    assert.deepEqual(Object.keys(json), [
      'token', 'id', 'name', 'last_four', 'scope', 'audience', 'date_created', 'expiration_date', 'last_used',
    ]);
    await expect(404, `POST /api/v1/tokens/${json['id']}/renewal`, { as: `Bearer ${json['token']}` });
  });
}
