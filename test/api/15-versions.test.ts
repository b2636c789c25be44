/** Lost updates: entity tags and conditions of single records (RFC 9110 §8.8.3, §13). */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startService } from '../support/service.ts';

/** Starts a service with an administrator and ada, who owns "engine" and token 1. */
async function start(t: TestContext) {
  const service = await startService(t);
  const ada = await service.register('ada');
  await service.createProject(ada, 'engine');
  await service.call('POST /api/v1/tokens', { as: ada });
  const root = await service.registerAdministrator('root');
  const tagOf = async (path: string) => String((await service.call(`GET ${path}`, { as: ada })).headers.etag);
  return { service, ada, root, tagOf };
}

for (const path of ['/api/v1/users/ada', '/api/v1/projects/engine', '/api/v1/tokens/1', '/api/v1/user']) {
  test(`GET ${path} has a strong entity tag, and is 304 without a body for that tag`, async (t) => {
    const { service, ada, tagOf } = await start(t);
    const tag = await tagOf(path);
    assert.match(tag, /^"[^"]+"$/);
    for (const method of ['GET', 'HEAD']) {
      for (const field of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const { status, headers, text } = await service.call(`${method} ${path}`, {
          as: ada, headers: { 'If-None-Match': field },
        });
        assert.deepEqual([status, headers.etag, text], [304, tag, ''], `${method} ${field}`);
      }
    }
    await service.expect(200, `GET ${path}`, { as: ada, headers: { 'If-None-Match': '"x"' } });
    await service.expect(412, `GET ${path}`, { as: ada, headers: { 'If-Match': '"x"' } });
  });
}

test('If-None-Match changes neither 401 nor 404', async (t) => {
  const { service, ada } = await start(t);
  const headers = { 'If-None-Match': '*' };
  await service.expect(401, 'GET /api/v1/users/ada', { headers });
  await service.expect(404, 'GET /api/v1/users/nobody', { as: ada, headers });
});

for (const [what, line, json, path] of [
  ['a new email', 'PATCH /api/v1/users/ada', { email: 'new@example.org' }, '/api/v1/users/ada'],
  ['a new password', 'PUT /api/v1/users/ada/password', { password: 'x' }, '/api/v1/users/ada'],
  ['a role', 'PATCH /api/v1/users/ada', { is_admin: true }, '/api/v1/users/ada'],
  ['a new project of the user', 'POST /api/v1/projects', { name: 'loom', owner: 'ada' }, '/api/v1/users/ada'],
  ['a description', 'PATCH /api/v1/projects/engine', { description: 'x' }, '/api/v1/projects/engine'],
  [
    'a new email of the owner', 'PATCH /api/v1/users/ada', { email: 'new@example.org' },
    '/api/v1/projects/engine',
  ],
] as const) {
  test(`${what} changes the tag of ${path}`, async (t) => {
    const { service, root } = await start(t);
    const tagOf = async () => (await service.call(`GET ${path}`, { as: root })).headers.etag;
    const before = await tagOf();
    assert.ok((await service.call(line, { as: root, json })).status < 300);
    assert.notEqual(await tagOf(), before);
  });
}

test('the stored JSON of a user has the same bytes as the response', async (t) => {
  const { service, ada } = await start(t);
  await service.createProject(ada, 'loom "\\/<é😀', '\t\r\n"\\/<é😀');
  const read = await service.call('GET /api/v1/users/ada', { as: ada });
  const changed = await service.call('PATCH /api/v1/users/ada', {
    as: ada, json: {}, headers: { 'If-Match': String(read.headers.etag) },
  });
  assert.deepEqual([changed.status, changed.text, changed.headers.etag], [200, read.text, read.headers.etag]);
});

test('a change without effect keeps the tag', async (t) => {
  const { service, ada, tagOf } = await start(t);
  const before = await tagOf('/api/v1/users/ada');
  await service.call('PATCH /api/v1/users/ada', { as: ada, json: { email: 'ada@example.org' } });
  assert.equal(await tagOf('/api/v1/users/ada'), before);
});

const GUARDED = [
  ['PATCH /api/v1/users/ada', { email: 'x@example.org' }, '/api/v1/users/ada'],
  [
    'PUT /api/v1/users/ada/password', { password: 'x', current_password: 'ada-password' },
    '/api/v1/users/ada',
  ],
  ['DELETE /api/v1/users/ada?owned_projects=delete', undefined, '/api/v1/users/ada'],
  ['PATCH /api/v1/projects/engine', { name: 'x' }, '/api/v1/projects/engine'],
  ['DELETE /api/v1/projects/engine', undefined, '/api/v1/projects/engine'],
  ['DELETE /api/v1/tokens/1', undefined, '/api/v1/tokens/1'],
] as const;

for (const [line, json, path] of GUARDED) {
  test(`${line} with If-Match succeeds on the state that was read, and is 412 on another`, async (t) => {
    const { service, ada, tagOf } = await start(t);
    const tag = await tagOf(path);
    for (const field of ['"x"', `W/${tag}`, '', 'x']) {
      const answer = await service.call(line, { as: ada, json, headers: { 'If-Match': field } });
      assert.equal(answer.status, 412, field);
      assert.equal(answer.json['type'], '/static/problems.html#precondition-failed');
    }
    await service.expect(412, line, { as: ada, json, headers: { 'If-None-Match': tag } });
    assert.equal(await tagOf(path), tag);
    await service.expect(200, line, { as: ada, json, headers: { 'If-Match': `"x", ${tag}` } });
  });
}

for (const [line, json] of [
  ['PATCH /api/v1/users/ada', { email: 'other@example.org' }],
  ['PUT /api/v1/users/ada/password', { password: 'x' }],
  ['DELETE /api/v1/users/ada?owned_projects=delete', undefined],
] as const) {
  for (const [other, change] of [
    ['PATCH /api/v1/users/ada', { email: 'faster@example.org' }],
    ['PUT /api/v1/users/ada/password', { password: 'faster' }],
  ] as const) {
    test(`${line} with If-Match is 412 if ${other} came first`, async (t) => {
      const { service, root, tagOf } = await start(t);
      const headers = { 'If-Match': await tagOf('/api/v1/users/ada') };
      await service.expect(200, other, { as: root, json: change, headers });
      await service.expect(412, line, { as: root, json, headers });
    });
  }
}

for (const [line, toJson, path] of [
  ['PATCH /api/v1/users/ada', (index: number) => ({ email: `${index}@example.org` }), '/api/v1/users/ada'],
  ['PUT /api/v1/users/ada/password', (index: number) => ({ password: `${index}` }), '/api/v1/users/ada'],
  [
    'PATCH /api/v1/projects/engine', (index: number) => ({ description: `${index}` }),
    '/api/v1/projects/engine',
  ],
] as const) {
  test(`of ten concurrent ${line} with the same If-Match, one is 200 and nine are 412`, async (t) => {
    const { service, root, tagOf } = await start(t);
    const headers = { 'If-Match': await tagOf(path) };
    const calls = Array.from(
      { length: 10 }, (_, index) => service.call(line, { as: root, json: toJson(index), headers }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(9).fill(412)]);
  });
}

test('If-Match: * matches every existing record, and a missing one stays 404', async (t) => {
  const { service, ada } = await start(t);
  const headers = { 'If-Match': '*' };
  await service.expect(200, 'PATCH /api/v1/projects/engine', { as: ada, json: {}, headers });
  await service.expect(404, 'DELETE /api/v1/projects/nothing', { as: ada, headers });
});

test('other refusals take precedence over 412', async (t) => {
  const { service, ada } = await start(t);
  const headers = { 'If-Match': '"x"' };
  await service.expect(403, 'PATCH /api/v1/users/root', { as: ada, json: {}, headers });
  await service.expect(422, 'PATCH /api/v1/users/ada', { as: ada, json: { username: 'root' }, headers });
  await service.expect(409, 'DELETE /api/v1/users/ada', { as: ada, headers });
});
