/** `/api/v1/tokens`: tokens as records, and read-only tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, startService, type TestService } from '../support/service.ts';

/** Creates a token through the collection. @returns The record, and credentials. */
async function create(service: TestService, as: string, json: object = {}) {
  const answer = await service.call('POST /api/v1/tokens', { as, json });
  assert.equal(answer.status, 201, answer.text);
  const { token, ...record } = answer.json;
  return { as: `Bearer ${token}`, token: String(token), record, id: Number(record['id']) };
}

api('POST /api/v1/tokens is 201 with the record of the token and, only here, its text', async (service) => {
  const as = await service.register('ada');
  const json = { name: 'nightly report', expiration: 3600, scope: 'read_only' };
  const { status, headers, json: answer } = await service.call('POST /api/v1/tokens', { as, json });
  const { token, ...record } = answer;
  assert.equal(status, 201);
  assert.equal(headers['location'], '/api/v1/tokens/1');
  assert.match(token, /^rollcall_[\w-]{49}$/);
  assert.deepEqual(record, {
    id: 1, name: 'nightly report', last_four: token.slice(-4), scope: 'read_only', audience: null,
    date_created: '2026-01-01T00:00:00.000Z', expiration_date: '2026-01-01T01:00:00.000', last_used: null,
  });
  const read = await service.call('GET /api/v1/tokens/1', { as });
  assert.deepEqual(read.json, record);
});

test('POST /api/v1/tokens without body issues an unnamed token: full scope, default lifetime', async (t) => {
  const service = await startService(t);
  const { json } = await service.expect(201, 'POST /api/v1/tokens', { as: await service.register('ada') });
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
  api(`POST /api/v1/tokens with ${title} is 400`, async (service) => {
    const answer = await service.call('POST /api/v1/tokens', { as: await service.register('ada'), json });
    assert.equal(answer.status, 400);
    assert.equal(answer.json['errors'][0].pointer, pointer);
  });
}

api('a token is listed, and found by its id, until the moment of its expiration', async (service) => {
  const as = await service.register('ada');
  await create(service, as, { expiration: 10 });
  for (const [laterMs, status] of [[0, 200], [9_999, 200], [1, 404]] as const) {
    service.clock.nowMs += laterMs;
    await service.expect(status, 'GET /api/v1/tokens/1', { as });
    const { json } = await service.call('GET /api/v1/tokens', { as });
    assert.equal(json['tokens'].length, status === 200 ? 1 : 0);
  }
});

test('GET /api/v1/tokens lists only valid tokens of the caller, in pages, without their text', async (t) => {
  const service = await startService(t);
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  const tokens = [await create(service, ada, { name: 'a' }), await create(service, ada, { name: 'b' })];
  await create(service, eve);
  await create(service, ada, { expiration: 1 });
  const { token: revoked, id } = await create(service, ada);
  await service.call(`DELETE /api/v1/tokens/${id}`, { as: ada });
  service.clock.nowMs += 1000;
  const { headers, json, text } = await service.expect(200, 'GET /api/v1/tokens', { as: ada });
  assert.deepEqual(json, { tokens: tokens.map(({ record }) => record) });
  assert.deepEqual([headers['count'], headers['page'], headers['items_per_page']], ['2', '1', '1000']);
  assert.ok(![revoked, ...tokens.map(({ token }) => token)].some((token) => text.includes(token)));
  const page = await service.call('GET /api/v1/tokens?items_per_page=1&page=2', { as: ada });
  assert.deepEqual(page.json, { tokens: [tokens[1]?.record] });
});

api('a token that POST /api/v1/token issued is in the collection too', async (service) => {
  const as = await service.registerWithToken('ada');
  const { json } = await service.call('GET /api/v1/tokens', { as });
  assert.equal(json['tokens'][0].last_four, as.slice(-4));
});

for (const [caller, query, expected] of [
  ['root', '?username=ADA', 200], ['root', '?username=nobody', 404], ['ada', '?username=Ada', 200],
  ['eve', '?username=ada', 403], ['eve', '?username=nobody', 403],
] as const) {
  for (const method of ['GET', 'DELETE']) {
    api(`${method} /api/v1/tokens${query} by ${caller} is ${expected}`, async (service) => {
      const callers = {
        ada: await service.register('ada'), eve: await service.register('eve'),
        root: await service.registerAdministrator('root'),
      };
      const { as, record } = await create(service, callers.ada);
      const { status, json } = await service.call(
        `${method} /api/v1/tokens${query}`, { as: callers[caller] },
      );
      assert.equal(status, expected);
      if (expected === 200) {
        assert.deepEqual(json, method === 'GET' ? { tokens: [record] } : { token_status: 'deleted' });
      }
      const isRevoked = method === 'DELETE' && expected === 200;
      assert.equal((await service.call('GET /api/v1/user', { as })).status, isRevoked ? 401 : 200);
    });
  }
}

api('DELETE /api/v1/tokens revokes all tokens of the caller, including the one in use', async (service) => {
  const [first, eve] = [await service.registerWithToken('ada'), await service.registerWithToken('eve')];
  const second = await service.issueToken(first);
  const { json } = await service.expect(200, 'DELETE /api/v1/tokens', { as: first });
  assert.deepEqual(json, { token_status: 'deleted' });
  for (const [as, expected] of [[first, 401], [second, 401], [eve, 200]] as const) {
    await service.expect(expected, 'GET /api/v1/user', { as });
  }
});

for (const [caller, expected] of [['ada', 200], ['root', 200], ['eve', 404]] as const) {
  for (const method of ['GET', 'DELETE']) {
    api(`${method} /api/v1/tokens/{token_id} of ada by ${caller} is ${expected}`, async (service) => {
      const callers = {
        ada: await service.register('ada'), eve: await service.register('eve'),
        root: await service.registerAdministrator('root'),
      };
      const { as, id } = await create(service, callers.ada);
      await service.expect(expected, `${method} /api/v1/tokens/${id}`, { as: callers[caller] });
      const isRevoked = method === 'DELETE' && expected === 200;
      assert.equal((await service.call('GET /api/v1/user', { as })).status, isRevoked ? 401 : 200);
      assert.equal(
        (await service.call(`GET /api/v1/tokens/${id}`, { as: callers.ada })).status, isRevoked ? 404 : 200,
      );
    });
  }
}

for (const segment of ['0', '2', 'x', '-1', '1.0', '9'.repeat(30), '%00']) {
  api(`GET /api/v1/tokens/${segment} is 404 although token 1 exists`, async (service) => {
    const as = await service.registerWithToken('ada');
    await service.expect(404, `GET /api/v1/tokens/${segment}`, { as });
  });
}

api('of eight concurrent deletions of one token, one is 200 and seven are 404', async (service) => {
  const ada = await service.register('ada');
  const { id } = await create(service, ada);
  const calls = Array.from({ length: 8 }, () => service.call(`DELETE /api/v1/tokens/${id}`, { as: ada }));
  const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 404, 404, 404, 404, 404, 404, 404]);
});

test('If-Match keeps a token that another tag names, and the use of a token changes no tag', async (t) => {
  const service = await startService(t);
  const ada = await service.register('ada');
  const [first, second] = [await create(service, ada), await create(service, ada)];
  const { headers: { etag } } = await service.call(`GET /api/v1/tokens/${first.id}`, { as: ada });
  await service.call('GET /api/v1/user', { as: first.as });
  const headers = { 'If-Match': String(etag) };
  const revoke = (id: number) => service.call(`DELETE /api/v1/tokens/${id}`, { as: ada, headers });
  assert.deepEqual([(await revoke(second.id)).status, (await revoke(first.id)).status], [412, 200]);
  await service.expect(200, 'GET /api/v1/user', { as: second.as });
});

api('last_used is written at the first use, and then at most once a minute', async (service) => {
  const ada = await service.register('ada');
  const { as, id } = await create(service, ada, { expiration: 3600 });
  const lastUsed = async () =>
    (await service.call(`GET /api/v1/tokens/${id}`, { as: ada })).json['last_used'];
  const seen = [await lastUsed()];
  for (const secondsLater of [0, 59.999, 0.001, 59]) {
    service.clock.nowMs += secondsLater * 1000;
    await service.call('GET /api/v1/user', { as });
    seen.push(await lastUsed());
  }
  assert.deepEqual(seen, [
    null, ...['00:00', '00:00', '01:00', '01:00'].map((time) => `2026-01-01T00:${time}.000Z`),
  ]);
});

for (const line of [
  'GET /api/v1/users', 'HEAD /api/v1/users', 'GET /api/v1/tokens', 'OPTIONS /api/v1/users',
]) {
  api(`a read-only token may ${line}`, async (service) => {
    const { as } = await create(service, await service.register('ada'), { scope: 'read_only' });
    assert.ok((await service.call(line, { as })).status < 300);
  });
}

api('a read-only token can neither issue a token nor revoke itself', async (service) => {
  const { as, id } = await create(service, await service.register('ada'), { scope: 'read_only' });
  for (const line of [
    'POST /api/v1/token', 'POST /api/v1/tokens', 'DELETE /api/v1/token', `DELETE /api/v1/tokens/${id}`,
  ]) {
    assert.equal((await service.call(line, { as })).status, 403, line);
  }
  await service.expect(200, 'GET /api/v1/user', { as });
});

api('a mistyped token is refused without a database query', async (service) => {
  const as = await service.registerWithToken('ada');
  // from here on, every query of tokens would fail
  await service.database.write([{ sql: 'DROP TABLE tokens', parameters: [] }]);
  assert.equal((await service.call(
    'GET /api/v1/user', { as: as.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) },
  )).status, 401);
  await service.expect(500, 'GET /api/v1/user', { as });
});
