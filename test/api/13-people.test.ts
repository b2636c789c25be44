/** Changes of `/api/v1/users/{username_or_id}`: the record, the password, the deletion. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { basic, startService, type TestService } from '../support/service.ts';

/** Starts a service with two users and an administrator. @returns The service, and credentials. */
async function startWithPeople(t: TestContext) {
  const service = await startService(t);
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  return { service, ada, eve, root: await service.registerAdministrator('root') };
}

async function statusOf(service: TestService, as: string): Promise<number> {
  return (await service.call('GET /api/v1/user', { as })).status;
}

test('PATCH changes email and username, returns the new state, and changes nothing else', async (t) => {
  const { service, ada } = await startWithPeople(t);
  await service.createProject(ada, 'engine');
  const json = {
    email: 'new@example.org', username: 'countess', id: 9, password: 'x', date_created: 'x', version: 1,
  };
  const { status, headers, json: answer } = await service.call('PATCH /api/v1/users/ada', { as: ada, json });
  const owner = { username: 'countess', email: 'new@example.org' };
  const date_created = '2026-01-01T00:00:00.000Z';
  assert.equal(status, 200);
  assert.deepEqual(answer, {
    id: 1, ...owner, date_created, is_admin: false, disabled: false, projects_total: 1,
    projects: [{ id: 1, name: 'engine', description: '', date_created, owner }],
  });
  const read = await service.call('GET /api/v1/users/1', { as: basic('countess', 'ada-password') });
  assert.deepEqual(read.json, answer);
  assert.equal(read.headers.etag, headers.etag);
  assert.equal(await statusOf(service, ada), 401);
});

for (const [caller, segment, json, status] of [
  ['ada', 'ada', {}, 200], ['ada', '1', { email: 'a@b.example' }, 200],
  ['ada', 'ada', { username: 'ADA' }, 200],
  ['root', 'ada', { username: 'b', email: 'a@b.example', is_admin: true, disabled: true }, 200],
  ['root', 'root', { email: 'a@b.example', is_admin: true }, 200],
  ['ada', 'ada', { username: 'eve' }, 422], ['ada', 'ada', { username: 'EVE' }, 422],
  ['root', 'ada', { username: 'root' }, 422],
  ['ada', 'ada', { is_admin: true }, 403], ['ada', 'ada', { is_admin: false }, 403],
  ['ada', 'ada', { disabled: false }, 403],
  ['ada', 'eve', { email: 'a@b.example' }, 403], ['ada', '2', {}, 403],
  ['ada', 'root', { username: 'x' }, 403],
  ['ada', 'nobody', {}, 404], ['root', '99', {}, 404],
  ['ada', 'ada', { email: 'x' }, 400], ['ada', 'ada', { username: '12' }, 400],
  ['ada', 'ada', { email: null }, 400],
  ['root', 'ada', { is_admin: 1 }, 400], ['root', 'ada', { disabled: 'true' }, 400], ['ada', 'ada', [], 400],
] as const) {
  test(`PATCH /api/v1/users/${segment} by ${caller} with ${JSON.stringify(json)} is ${status}`, async (t) => {
    const { service, ...callers } = await startWithPeople(t);
    const answer = await service.call(`PATCH /api/v1/users/${segment}`, { as: callers[caller], json });
    assert.equal(answer.status, status, answer.text);
  });
}

test('PATCH by an administrator promotes and demotes administrators', async (t) => {
  const { service, ada, root } = await startWithPeople(t);
  assert.equal(
    (await service.call('PATCH /api/v1/users/ada', { as: root, json: { is_admin: true } })).json['is_admin'],
    true,
  );
  await service.expect(200, 'PATCH /api/v1/users/eve', { as: ada, json: { disabled: true } });
  assert.equal(
    (await service.call('PATCH /api/v1/users/ada', { as: root, json: { is_admin: false } })).json['is_admin'],
    false,
  );
  await service.expect(403, 'PATCH /api/v1/users/eve', { as: ada, json: { disabled: false } });
});

test('a disabled user is 401 at once, with password and token, until enabled', async (t) => {
  const { service, ada, root } = await startWithPeople(t);
  const token = await service.issueToken(ada);
  assert.equal(
    (await service.call('PATCH /api/v1/users/ada', { as: root, json: { disabled: true } })).json['disabled'],
    true,
  );
  const wrong = await service.call('GET /api/v1/user', { as: basic('eve', 'wrong') });
  for (const as of [ada, token]) {
    const { headers, json } = await service.expect(401, 'GET /api/v1/user', { as });
    assert.equal(headers['www-authenticate'], wrong.headers['www-authenticate']);
    assert.deepEqual({ ...json, request_id: '' }, { ...wrong.json, request_id: '' });
  }
  await service.call('PATCH /api/v1/users/ada', { as: root, json: { disabled: false } });
  assert.deepEqual([await statusOf(service, ada), await statusOf(service, token)], [200, 200]);
});

test('the name of a disabled user stays taken', async (t) => {
  const { service, root } = await startWithPeople(t);
  await service.call('PATCH /api/v1/users/ada', { as: root, json: { disabled: true } });
  const json = { username: 'ada', password: 'x', email: 'x@example.org' };
  await service.expect(422, 'POST /api/v1/users', { json });
});

for (const [method, query, json] of [
  ['PATCH', '', { is_admin: false }], ['PATCH', '', { disabled: true }], ['DELETE', '', undefined],
  ['DELETE', '?owned_projects=delete', undefined],
] as const) {
  const title = `${method} ${query} ${JSON.stringify(json) ?? ''}`;
  test(`${title} of the last enabled administrator is 409, and of one of two is 200`, async (t) => {
    const { service, root } = await startWithPeople(t);
    const second = await service.registerAdministrator('second');
    // a disabled administrator does not count as another one
    await service.call('PATCH /api/v1/users/second', { as: root, json: { disabled: true } });
    const change = () => service.call(`${method} /api/v1/users/root${query}`, { as: root, json });
    const refused = await change();
    assert.equal(refused.status, 409);
    assert.equal(refused.json['type'], '/static/problems.html#last-administrator');
    await service.call('PATCH /api/v1/users/second', { as: root, json: { disabled: false } });
    assert.equal((await change()).status, 200);
    assert.equal(await statusOf(service, second), 200);
  });
}

test('after PUT …/password the old password is refused at once, and the new one works', async (t) => {
  const { service, ada } = await startWithPeople(t);
  assert.equal(await statusOf(service, ada), 200); // puts the password into the cache
  const json = { current_password: 'ada-password', password: 'new password' };
  const { json: answer } = await service.expect(200, 'PUT /api/v1/users/ada/password', { as: ada, json });
  assert.deepEqual(answer, { password_status: 'changed' });
  assert.deepEqual([await statusOf(service, ada), await statusOf(service, basic('ada', 'new password'))], [
    401, 200,
  ]);
});

test('PUT …/password with a token keeps that token and revokes all other tokens of the user', async (t) => {
  const { service, ada, eve } = await startWithPeople(t);
  const [used, other, foreign] = [
    await service.issueToken(ada), await service.issueToken(ada), await service.issueToken(eve),
  ];
  const json = { current_password: 'ada-password', password: 'new password' };
  await service.expect(200, 'PUT /api/v1/users/ada/password', { as: used, json });
  assert.deepEqual(await Promise.all([used, other, foreign].map((as) => statusOf(service, as))), [
    200, 401, 200,
  ]);
});

test('PUT …/password by an administrator needs no current password and revokes all tokens', async (t) => {
  const { service, ada, root } = await startWithPeople(t);
  const [token, rootToken] = [await service.issueToken(ada), await service.issueToken(root)];
  await service.expect(200, 'PUT /api/v1/users/ada/password', {
    as: rootToken, json: { password: 'new password' },
  });
  const statuses = await Promise.all(
    [ada, token, basic('ada', 'new password'), rootToken].map((as) => statusOf(service, as)),
  );
  assert.deepEqual(statuses, [401, 401, 200, 200]);
});

for (const [caller, segment, json, status, type] of [
  ['ada', 'ada', { password: 'new' }, 400, 'invalid-body'],
  ['root', 'root', { password: 'new' }, 400, 'invalid-body'],
  ['ada', 'ada', { current_password: 'ada-password' }, 400, 'invalid-body'],
  ['ada', 'ada', { current_password: 'ada-password', password: '' }, 400, 'invalid-body'],
  ['ada', 'ada', { current_password: 'ada-password', password: `${'é'.repeat(512)}x` }, 400, 'invalid-body'],
  ['ada', 'ada', { current_password: 'wrong', password: 'new' }, 403, 'wrong-password'],
  ['ada', 'ada', { current_password: '', password: 'new' }, 403, 'wrong-password'],
  ['ada', 'eve', { current_password: 'eve-password', password: 'new' }, 403, 'forbidden'],
  ['ada', 'nobody', { password: 'new' }, 404, 'not-found'],
] as const) {
  const sent = JSON.stringify(json).slice(0, 60);
  test(`PUT /api/v1/users/${segment}/password by ${caller} with ${sent} is ${status}`, async (t) => {
    const { service, ...callers } = await startWithPeople(t);
    const answer = await service.call(`PUT /api/v1/users/${segment}/password`, { as: callers[caller], json });
    assert.equal(answer.status, status);
    assert.equal(answer.json['type'], `/static/problems.html#${type}`);
    assert.deepEqual(await Promise.all(Object.values(callers).map((as) => statusOf(service, as))), [
      200, 200, 200,
    ]);
  });
}

test('a token allows no more guesses at the current password than signing in does', async (t) => {
  const { service, ada } = await startWithPeople(t);
  const token = await service.issueToken(ada);
  const guess = async (password: string) => {
    const json = { current_password: password, password: 'mine' };
    return (await service.call('PUT /api/v1/users/ada/password', { as: token, json })).status;
  };
  const statuses = await Promise.all(Array.from({ length: 120 }, (_, index) => guess(`guess ${index}`)));
  assert.equal(statuses.filter((status) => status === 403).length, 100);
  assert.equal(statuses.filter((status) => status === 429).length, 20);
  assert.equal(await guess('ada-password'), 429);
  assert.equal(await statusOf(service, ada), 429);
});

test('DELETE frees the username but not the id, and the credentials are refused', async (t) => {
  const { service, ada, root } = await startWithPeople(t);
  const token = await service.issueToken(ada);
  const { json } = await service.expect(200, 'DELETE /api/v1/users/ada', { as: ada });
  assert.deepEqual(json, { user_status: 'deleted' });
  assert.deepEqual([await statusOf(service, ada), await statusOf(service, token)], [401, 401]);
  await service.expect(404, 'GET /api/v1/users/ada', { as: root });
  assert.equal(await service.register('ada'), ada);
  assert.equal((await service.call('GET /api/v1/user', { as: ada })).json['id'], 4);
  assert.equal(await statusOf(service, token), 401); // this is the token of the deleted user
});

test('with a token, administrators may delete other accounts, but nobody may delete their own', async (t) => {
  const { service, ada, eve, root } = await startWithPeople(t);
  const token = await service.issueToken(ada);
  for (const target of ['ada', 'ada?owned_projects=delete', '1']) {
    const { status, json } = await service.call(`DELETE /api/v1/users/${target}`, { as: token });
    assert.deepEqual([status, json['type']], [403, '/static/problems.html#password-needed']);
  }
  const rootToken = await service.issueToken(root);
  await service.expect(403, 'DELETE /api/v1/users/root', { as: rootToken });
  await service.expect(200, 'DELETE /api/v1/users/eve', { as: rootToken });
  await service.expect(200, 'DELETE /api/v1/users/ada', { as: ada });
  assert.equal(await statusOf(service, eve), 401);
});

for (const [caller, target, status] of [
  ['ada', 'ada', 200], ['root', 'ada', 200], ['root', '1', 200],
  ['ada', 'eve', 403], ['ada', 'nobody', 404],
  ['ada', 'ada?owned_projects=keep', 400], ['ada', 'ada?owned_projects=transfer', 400],
  ['ada', 'ada?new_owner=eve', 400],
  ['ada', 'ada?owned_projects=delete&new_owner=eve', 400],
  ['ada', 'ada?owned_projects=transfer&new_owner=nobody', 400],
  ['ada', 'ada?owned_projects=transfer&new_owner=ADA', 400], [
    'ada', 'ada?owned_projects=transfer&new_owner=eve', 403,
  ],
  ['root', 'ada?owned_projects=transfer&new_owner=eve', 200],
  ['eve', 'ada?owned_projects=transfer&new_owner=eve', 403],
] as const) {
  test(`DELETE /api/v1/users/${target} by ${caller} is ${status}`, async (t) => {
    const { service, ...callers } = await startWithPeople(t);
    await service.expect(status, `DELETE /api/v1/users/${target}`, { as: callers[caller] });
    const exists = (await service.call('GET /api/v1/users/ada', { as: callers.root })).status === 200;
    assert.equal(exists, status !== 200);
  });
}

for (const [query, status, ownersAfter] of [
  ['', 409, ['ada', 'ada', 'eve']],
  ['?owned_projects=refuse', 409, ['ada', 'ada', 'eve']],
  ['?owned_projects=delete', 200, ['eve']],
  ['?owned_projects=transfer&new_owner=EVE', 200, ['eve', 'eve', 'eve']],
] as const) {
  test(`DELETE …/ada${query} with two projects is ${status}; owners: [${ownersAfter.join()}]`, async (t) => {
    const { service, ada, eve, root } = await startWithPeople(t);
    for (const [name, as] of [['a', ada], ['b', ada], ['c', eve]] as const) {
      await service.createProject(as, name);
    }
    const answer = await service.expect(status, `DELETE /api/v1/users/ada${query}`, { as: root });
    if (status === 409) {
      assert.equal(answer.json['type'], '/static/problems.html#projects-owned');
    }
    const { json } = await service.call('GET /api/v1/projects', { as: root });
    assert.deepEqual(
      json['projects'].map(({ owner }: { owner: { username: string } }) => owner.username), ownersAfter,
    );
  });
}

test('of eight concurrent deletions of one user, one is 200 and seven are 404', async (t) => {
  const { service, root } = await startWithPeople(t);
  const calls = Array.from({ length: 8 }, () => service.call('DELETE /api/v1/users/ada', { as: root }));
  const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 404, 404, 404, 404, 404, 404, 404]);
});

test('of eight concurrent renames to the same name, one is 200 and seven are 422', async (t) => {
  const { service, root } = await startWithPeople(t);
  for (let number = 1; number <= 8; number += 1) {
    await service.register(`u${number}`);
  }
  const calls = Array.from(
    { length: 8 },
    (_, index) => service.call(`PATCH /api/v1/users/u${index + 1}`, { as: root, json: { username: 'best' } }),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 422, 422, 422, 422, 422, 422, 422]);
});

test('PASSWORD_MIN_LENGTH=7 refuses no password for being common', async (t) => {
  const service = await startService(t, { passwordLengthMin: 7 });
  const json = { username: 'b', email: 'b@example.org', password: 'password' };
  await service.expect(201, 'POST /api/v1/users', { json });
});

test('PASSWORD_MIN_LENGTH=8 refuses common passwords in upper and lower case', async (t) => {
  const service = await startService(t, { passwordLengthMin: 8 });
  const ada = await service.register('ada');
  for (const password of ['password', 'PASSWORD1', 'Qwerty123', '123456789', 'correcthorsebatterystaple']) {
    const registration = await service.call(
      'POST /api/v1/users', { json: { username: 'b', email: 'b@example.org', password } },
    );
    const change = await service.call('PUT /api/v1/users/ada/password', {
      as: ada, json: { current_password: 'ada-password', password },
    });
    for (const answer of [registration, change]) {
      assert.equal(answer.status, 400);
      const [{ pointer, message }] = answer.json['errors'];
      assert.deepEqual([pointer, message], ['/password', 'must not be one of the most common passwords']);
    }
  }
  // long and uncommon, and no rule requires digits or signs
  const json = { current_password: 'ada-password', password: 'aaaaaaaaaa b' };
  await service.expect(200, 'PUT /api/v1/users/ada/password', { as: ada, json });
});

test('a request with a delayed body cannot use rights that the caller has lost meanwhile', async (t) => {
  const { service, root } = await startWithPeople(t);
  const mal = await service.registerAdministrator('mal');
  const body = JSON.stringify({ is_admin: true, disabled: false });
  const held = request({
    host: '127.0.0.1', port: service.port, agent: false, method: 'PATCH', path: '/api/v1/users/mal',
    headers: { 'Authorization': mal, 'Content-Type': 'application/json', 'Content-Length': body.length },
  });
  held.flushHeaders();
  await service.call('GET /api/v1/user', { as: mal });
  await service.expect(200, 'PATCH /api/v1/users/mal', {
    as: root, json: { is_admin: false, disabled: true },
  });
  held.end(body);
  const [answer]: IncomingMessage[] = await once(held, 'response');
  assert.equal(answer?.resume().statusCode, 401);
  const { json } = await service.call('GET /api/v1/users/mal', { as: root });
  assert.deepEqual([json['is_admin'], json['disabled']], [false, true]);
});
