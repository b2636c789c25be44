/** Tests that entity tags and conditions of single records prevent lost updates (RFC 9110 §8.8.3, §13). */
import assert from 'node:assert/strict';
import { atOnce, people, times, type World } from '../support/service.ts';

/**
 * Defines a test in which ada owns the project "engine" and token 1. `tagOf` reads an entity tag, by default
 * as ada.
 */
function versions(
  title: string, run: (world: World & { tagOf(path: string, as?: string): Promise<string> }) => Promise<void>,
): void {
  people(title, async (world) => {
    const { ada } = world;
    await world.createProject(ada, 'engine');
    await world.issueToken(ada);
    const tagOf = async (path: string, as = ada) =>
      String((await world.expect(200, `GET ${path}`, { as })).headers.etag);
    await run({ ...world, tagOf });
  });
}

for (const path of ['/api/v1/users/ada', '/api/v1/projects/engine', '/api/v1/tokens/1', '/api/v1/user']) {
  versions(`GET ${path} has a strong entity tag, and is 304 without a body for that tag`, async (world) => {
    const { ada: as, expect } = world;
    const tag = await world.tagOf(path);
    assert.match(tag, /^"[^"]+"$/);
    for (const method of ['GET', 'HEAD']) {
      for (const field of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const { headers, text } = await expect(304, `${method} ${path}`, {
          as, headers: { 'If-None-Match': field },
        });
        assert.deepEqual([headers.etag, text], [tag, ''], `${method} ${field}`);
      }
    }
    await expect(200, `GET ${path}`, { as, headers: { 'If-None-Match': '"x"' } });
    await expect(412, `GET ${path}`, { as, headers: { 'If-Match': '"x"' } });
  });
}

versions('If-None-Match changes neither 401 nor 404', async ({ ada: as, expect }) => {
  const headers = { 'If-None-Match': '*' };
  await expect(401, 'GET /api/v1/users/ada', { headers });
  await expect(404, 'GET /api/v1/users/nobody', { as, headers });
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
  versions(`${what} changes the tag of ${path}`, async ({ call, root: as, tagOf }) => {
    const before = await tagOf(path, as);
    assert.ok((await call(line, { as, json })).status < 300);
    assert.notEqual(await tagOf(path, as), before);
  });
}

versions('the stored JSON of a user has the same bytes as the response', async (world) => {
  const { ada: as, expect } = world;
  await world.createProject(as, 'loom "\\/<é😀', '\t\r\n"\\/<é😀');
  const read = await expect(200, 'GET /api/v1/users/ada', { as });
  const changed = await expect(200, 'PATCH /api/v1/users/ada', {
    as, json: {}, headers: { 'If-Match': String(read.headers.etag) },
  });
  assert.deepEqual([changed.text, changed.headers.etag], [read.text, read.headers.etag]);
});

versions('a change without effect keeps the tag', async ({ ada: as, expect, tagOf }) => {
  const before = await tagOf('/api/v1/users/ada');
  await expect(200, 'PATCH /api/v1/users/ada', { as, json: { email: 'ada@example.org' } });
  assert.equal(await tagOf('/api/v1/users/ada'), before);
});

for (const [line, json, path] of [
  ['PATCH /api/v1/users/ada', { email: 'x@example.org' }, '/api/v1/users/ada'],
  [
    'PUT /api/v1/users/ada/password', { password: 'x', current_password: 'ada-password' },
    '/api/v1/users/ada',
  ],
  ['DELETE /api/v1/users/ada?owned_projects=delete', undefined, '/api/v1/users/ada'],
  ['PATCH /api/v1/projects/engine', { name: 'x' }, '/api/v1/projects/engine'],
  ['DELETE /api/v1/projects/engine', undefined, '/api/v1/projects/engine'],
  ['DELETE /api/v1/tokens/1', undefined, '/api/v1/tokens/1'],
] as const) {
  const title = `${line} with If-Match succeeds on the state that was read, and is 412 on another`;
  versions(title, async ({ ada: as, expect, tagOf }) => {
    const tag = await tagOf(path);
    for (const field of ['"x"', `W/${tag}`, '', 'x']) {
      const answer = await expect(412, line, { as, json, headers: { 'If-Match': field } });
      assert.equal(answer.json['type'], '/static/problems.html#precondition-failed');
    }
    await expect(412, line, { as, json, headers: { 'If-None-Match': tag } });
    assert.equal(await tagOf(path), tag);
    await expect(200, line, { as, json, headers: { 'If-Match': `"x", ${tag}` } });
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
    versions(`${line} with If-Match is 412 if ${other} came first`, async ({ expect, root: as, tagOf }) => {
      const headers = { 'If-Match': await tagOf('/api/v1/users/ada') };
      await expect(200, other, { as, json: change, headers });
      await expect(412, line, { as, json, headers });
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
  const title = `of ten concurrent ${line} with the same If-Match, one is 200 and nine are 412`;
  versions(title, async ({ call, root: as, tagOf }) => {
    const headers = { 'If-Match': await tagOf(path) };
    const statuses = await atOnce(10, (index) => call(line, { as, json: toJson(index), headers }));
    assert.deepEqual(statuses, [200, ...times(9, 412)]);
  });
}

/** In a row, `*` stands for the number of each concurrent request. */
for (const [line, json, winner, others] of [
  ['DELETE /api/v1/projects/engine', undefined, 200, 404], ['DELETE /api/v1/tokens/1', undefined, 200, 404],
  ['DELETE /api/v1/users/eve', undefined, 200, 404],
  ['PATCH /api/v1/projects/p*', { name: 'best' }, 200, 422],
  ['PATCH /api/v1/users/u*', { username: 'best' }, 200, 422],
] as const) {
  versions(`of eight concurrent ${line}, one is ${winner} and seven are ${others}`, async (world) => {
    const { call, createProject, register, root: as } = world;
    for (let index = 0; index < 8; index += 1) {
      await createProject(await register(`u${index}`), `p${index}`);
    }
    const statuses = await atOnce(8, (index) => call(line.replace('*', `${index}`), { as, json }));
    assert.deepEqual(statuses, [winner, ...times(7, others)]);
  });
}

for (const [field, line, json, status] of [
  ['*', 'PATCH /api/v1/projects/engine', {}, 200],
  ['*', 'DELETE /api/v1/projects/nothing', undefined, 404],
  ['"x"', 'PATCH /api/v1/users/root', {}, 403], // any other refusal takes precedence over 412
  ['"x"', 'PATCH /api/v1/users/ada', { username: 'root' }, 422],
  ['"x"', 'DELETE /api/v1/users/ada', undefined, 409],
] as const) {
  versions(`with If-Match: ${field}, ${line} is ${status}`, async ({ ada: as, expect }) => {
    await expect(status, line, { as, json, headers: { 'If-Match': field } });
  });
}
