/** Specification, "POST /api/v1/token", "DELETE /api/v1/token" and the lifetime of a token. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, basic, startService } from '../support/service.ts';

// spec 2.3-2, 3-2, 4.2-3, 4.2-5, 8-6
api('POST /api/v1/token is 201 with a token for ten minutes and a date without a zone', async (service) => {
  const { status, headers, json } = await service.call(
    'POST /api/v1/token', { as: await service.register('ada') },
  );
  assert.equal(status, 201);
  assert.equal(headers['location'], '/api/v1/token');
  assert.match(json['token'], /^rollcall_[\w-]{49}$/);
  assert.equal(json['expiration_date'], '2026-01-01T00:10:00.000');
});

// spec 4.2-4
api('POST /api/v1/token ignores its body, even a malformed one', async (service) => {
  const answer = await service.expect(201, 'POST /api/v1/token', {
    as: await service.register('ada'), body: '{"expiration":',
  });
  assert.equal(answer.json['expiration_date'], '2026-01-01T00:10:00.000');
});

api('a token may issue another token, and many may be valid at the same time', async (service) => {
  const first = await service.registerWithToken('ada');
  const second = await service.issueToken(first);
  assert.notEqual(first, second);
  for (const as of [first, second]) {
    await service.expect(200, 'GET /api/v1/users', { as });
  }
});

for (const line of ['POST /api/v1/token', 'POST /api/v1/tokens']) {
  test(`of 20 concurrent ${line} with a token, only as many as tokens may make are 201`, async (t) => {
    const service = await startService(t, { tokensPerUserMax: 6 }); // 5 with a token
    const as = await service.registerWithToken('ada');
    const issue = () => service.call(line, { as, json: {} });
    const answers = await Promise.all(Array.from({ length: 20 }, issue));
    const [issued, refused] = [answers.filter(({ status }) => status === 201), answers.filter(isTooMany)];
    assert.deepEqual([issued.length, refused.length], [4, 16]);
    const revoked = { as: `Bearer ${issued[0]?.json['token']}` };
    await service.expect(200, 'DELETE /api/v1/token', revoked);
    assert.equal((await issue()).status, 201);
    assert.ok(isTooMany(await issue()));
  });
}

test('a thief who issues tokens with a stolen one does not keep the owner from signing in', async (t) => {
  const service = await startService(t, { tokensPerUserMax: 10 });
  const ada = await service.register('ada');
  const stolen = await service.issueToken(ada);
  const issue = (as: string) => service.call('POST /api/v1/tokens', { as, json: {} });
  const statuses: number[] = [];
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    statuses.push((await issue(stolen)).status);
  }
  assert.deepEqual(statuses, [...Array(8).fill(201), 422, 422]);
  assert.deepEqual([(await issue(ada)).status, (await issue(ada)).status], [201, 422]);
});

function isTooMany({ json }: { readonly json: Readonly<Record<string, unknown>> }): boolean {
  return json['type'] === '/static/problems.html#too-many-tokens';
}

for (const [title, line, json] of [
  ['POST /api/v1/token', 'POST /api/v1/token?expiration=31536000', undefined],
  ['POST /api/v1/tokens', 'POST /api/v1/tokens', { expiration: 31_536_000 }],
] as const) {
  test(`${title} for a year, with a token of 10 seconds, is 201 and limited to 10 seconds`, async (t) => {
    const service = await startService(t);
    const as = await service.issueToken(await service.register('ada'), '?expiration=10');
    service.clock.nowMs += 4_000;
    const answer = await service.expect(201, line, { as, json });
    assert.equal(answer.json['expiration_date'], '2026-01-01T00:00:10.000');
    service.clock.nowMs += 6_000;
    const child = `Bearer ${answer.json['token']}`;
    await service.expect(401, 'GET /api/v1/user', { as: child });
  });
}

for (const [title, line, asOwner] of [
  ['DELETE /api/v1/token with its parent', 'DELETE /api/v1/token', false],
  ['DELETE /api/v1/tokens/1', 'DELETE /api/v1/tokens/1', true],
  ['DELETE /api/v1/tokens', 'DELETE /api/v1/tokens', true],
] as const) {
  api(`${title} revokes the tokens issued with the token, and their descendants`, async (service) => {
    const ada = await service.register('ada');
    const parent = await service.issueToken(ada);
    const child = await service.issueToken(parent);
    const grandchild = await service.issueToken(child);
    await service.expect(200, 'GET /api/v1/user', { as: grandchild });
    await service.expect(200, line, { as: asOwner ? ada : parent });
    for (const as of [parent, child, grandchild]) {
      await service.expect(401, 'GET /api/v1/user', { as });
    }
  });
}

// spec 2.3-2, 3-2, 4.2-2
api('a token is valid a millisecond before its expiration, and expired at that moment', async (service) => {
  const as = await service.issueToken(await service.register('ada'), '?expiration=1');
  service.clock.nowMs += 999;
  await service.expect(200, 'GET /api/v1/users', { as });
  service.clock.nowMs += 1;
  await service.expect(401, 'GET /api/v1/users', { as });
});

for (const [expiration, status] of [
  ['1', 201], ['31536000', 201], ['007', 201],
  ['0', 400], ['31536001', 400], ['-1', 400], ['+1', 400], ['1.5', 400], ['1e3', 400], ['', 400],
  ['ten', 400], [' 1', 400],
  ['9'.repeat(400), 400], ['0x10', 400], ['NaN', 400], ['٣', 400], ['1&expiration=2', 400],
] as const) {
  // spec 4.2-2, 7-8
  api(`expiration=${expiration.slice(0, 20)} answers ${status}`, async (service) => {
    const as = await service.register('ada');
    const encoded = expiration.replace('+', '%2B').replace(' ', '%20').replace('٣', '%D9%A3');
    const target = `/api/v1/token?expiration=${encoded}`;
    const answer = await service.expect(status, `POST ${target}`, { as });
    if (status === 400) {
      assert.match(answer.json['detail'], /"expiration"/);
    }
  });
}

// spec 3-3, 4.3-3, 4.3-7
api('DELETE /api/v1/token with a token revokes only that token, at once', async (service) => {
  const ada = await service.register('ada');
  const [first, second] = [await service.issueToken(ada), await service.issueToken(ada)];
  const { json } = await service.expect(200, 'DELETE /api/v1/token', { as: first });
  assert.deepEqual(json, { token_status: 'deleted' });
  await service.expect(401, 'GET /api/v1/users', { as: first });
  await service.expect(200, 'GET /api/v1/users', { as: second });
});

// spec 4.3-3
api('DELETE /api/v1/token with a password revokes every token of the caller', async (service) => {
  const ada = await service.register('ada');
  const tokens = [await service.issueToken(ada), await service.issueToken(ada)];
  await service.expect(200, 'DELETE /api/v1/token', { as: ada });
  for (const as of tokens) {
    await service.expect(401, 'GET /api/v1/users', { as });
  }
});

// spec 4.3-7
api('DELETE /api/v1/token is 200 when there is nothing to revoke', async (service) => {
  const { json } = await service.expect(200, 'DELETE /api/v1/token', { as: await service.register('ada') });
  assert.deepEqual(json, { token_status: 'deleted' });
});

// spec 3-3, 4.3-4
api('DELETE /api/v1/token revokes the tokens of the user that an administrator names', async (service) => {
  const ada = await service.registerWithToken('Ada');
  const root = await service.issueToken(await service.registerAdministrator('root'));
  const { json } = await service.expect(200, 'DELETE /api/v1/token?username=ada', { as: root });
  assert.deepEqual(json, { token_status: 'deleted' });
  await service.expect(401, 'GET /api/v1/users', { as: ada });
  await service.expect(200, 'GET /api/v1/users', { as: root });
});

// spec 4.3-5, 7-4
test('DELETE /api/v1/token by an administrator for an unknown user is 404, revokes nothing', async (t) => {
  const service = await startService(t);
  const root = await service.issueToken(await service.registerAdministrator('root'));
  await service.expect(404, 'DELETE /api/v1/token?username=nobody', { as: root });
  await service.expect(200, 'GET /api/v1/users', { as: root });
});

for (const named of ['grace', 'nobody']) {
  // spec 4.3-6, 5-6
  api(`DELETE /api/v1/token?username=${named} by a plain user revokes the current token`, async (service) => {
    const grace = await service.registerWithToken('grace');
    const ada = await service.registerWithToken('ada');
    await service.expect(200, `DELETE /api/v1/token?username=${named}`, { as: ada });
    await service.expect(401, 'GET /api/v1/users', { as: ada });
    await service.expect(200, 'GET /api/v1/users', { as: grace });
  });
}

for (const password of ['unused', 'x', 'ada-password']) {
  // spec 5-2
  api(`a token as username with the password "${password}" signs in until it is revoked`, async (service) => {
    const token = (await service.registerWithToken('ada')).replace('Bearer ', '');
    const as = basic(token, password);
    assert.equal((await service.call('GET /api/v1/user', { as })).json['sign_in'], 'token');
    await service.expect(200, 'DELETE /api/v1/token', { as });
    await service.expect(401, 'GET /api/v1/user', { as });
  });
}
