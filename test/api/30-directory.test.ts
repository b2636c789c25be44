/**
 * Tests `DIRECTORY=closed`, which hides other users and their projects from users who are not administrators.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase, withMethods } from '../support/database.ts';
import type { CallOptions } from '../support/http-client.ts';
import { people, shared, startWorld, type World } from '../support/service.ts';

/** Creates the project "engine" of ada, and the project "garden" of eve. */
async function createProjects({ ada, eve, createProject }: World): Promise<void> {
  await createProject(ada, 'engine');
  await createProject(eve, 'garden');
}

/** Defines a test that has a closed directory, and changes neither users nor projects. Eve has token 1. */
const closed = shared(async (t) => {
  const world = await startWorld(t, { directory: 'closed' });
  await createProjects(world);
  await world.issueToken(world.eve);
  return world;
});

for (const query of [
  '', '?contains=e', '?starts_with=e', '?ends_with=a', '?role=administrator', '?state=enabled',
  '?sort=-username',
  '?sort=-date_created&items_per_page=1', '?page=2&items_per_page=1', '?contains=eve', '?starts_with=a',
]) {
  const line = `GET /api/v1/users${query}`;
  closed(`${line} shows a plain user at most the user, also in its numbers`, async ({ ada: as, expect }) => {
    const { headers, json: { users } } = await expect(200, line, { as });
    assert.ok(users.every(({ username }: { username: string }) => username === 'ada'));
    assert.equal(headers['count'], String(users.length));
    assert.ok(Number(headers['total']) <= 1 && headers['total-relation'] === 'exact');
    assert.doesNotMatch(String(headers['link']), /next/);
  });
}

closed('plain users find themselves, and administrators everybody', async (world) => {
  const { ada, expect, namesIn, root } = world;
  const seenBy = async (as: string) => [await namesIn('users', as), await namesIn('projects', as)];
  assert.deepEqual(await seenBy(ada), [['ada'], ['engine']]);
  assert.deepEqual(await seenBy(root), [['ada', 'eve', 'root'], ['engine', 'garden']]);
  await expect(200, 'GET /api/v1/users/eve', { as: root });
  assert.equal((await expect(200, 'GET /api/v1/users/1', { as: ada })).json['username'], 'ada');
  const own = await expect(200, 'GET /api/v1/projects?owner=ADA', { as: ada });
  assert.equal(own.headers['total'], '1');
});

closed('project lists have the projects of the caller only, also in their numbers', async (world) => {
  for (const [query, total] of [
    ['', '1'], ['?contains=e', '1'], ['?starts_with=g', '0'], ['?sort=-name', '1'],
  ] as const) {
    const { headers } = await world.expect(200, `GET /api/v1/projects${query}`, { as: world.ada });
    assert.equal(headers['total'], total);
    assert.ok(!(await world.namesIn(`projects${query}`, world.ada)).includes('garden'));
  }
});

/** Requests that must have the same response for a hidden record and for a record that does not exist. */
const PAIRS: readonly (readonly [line: string, options: CallOptions, expected: number])[] = [
  ['GET /api/v1/users/{user}', {}, 404],
  ['GET /api/v1/users/{user}', { headers: { 'If-None-Match': '*' } }, 404],
  ['GET /api/v1/users/{user id}', {}, 404],
  ['HEAD /api/v1/users/{user}', {}, 404],
  ['PATCH /api/v1/users/{user}', { json: { email: 'x@example.org' } }, 404],
  ['PATCH /api/v1/users/{user}', { json: { is_admin: true }, headers: { 'If-Match': '"x"' } }, 404],
  ['DELETE /api/v1/users/{user}', {}, 404],
  ['DELETE /api/v1/users/{user id}?owned_projects=delete', {}, 404],
  ['PUT /api/v1/users/{user}/password', { json: { password: 'x' } }, 404],
  ['DELETE /api/v1/users/ada?owned_projects=transfer&new_owner={user}', {}, 400],
  ['GET /api/v1/projects/{project}', {}, 404],
  ['GET /api/v1/projects/{project id}', {}, 404],
  ['PATCH /api/v1/projects/{project}', { json: { description: 'x' } }, 404],
  ['DELETE /api/v1/projects/{project id}', { headers: { 'If-Match': '"x"' } }, 404],
  ['GET /api/v1/projects?owner={user}', {}, 400],
  ['POST /api/v1/projects', { json: { name: 'new', owner: '{user}' } }, 400],
  ['PATCH /api/v1/projects/engine', { json: { owner: '{user}' } }, 400],
  ['GET /api/v1/tokens?username={user}', {}, 403],
  ['DELETE /api/v1/tokens?username={user}', {}, 403],
  ['DELETE /api/v1/token?username={user}', {}, 200],
  ['GET /api/v1/tokens/{token id}', {}, 404],
  ['DELETE /api/v1/tokens/{token id}', {}, 404],
];

const EXISTING = { 'user': 'eve', 'user id': '2', 'project': 'garden', 'project id': '2', 'token id': '1' };
const MISSING = {
  'user': 'nobody', 'user id': '9', 'project': 'nothing', 'project id': '9', 'token id': '9',
};

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-z ]+)\}/g, (whole, name) => values[name] ?? whole);
}

for (const [line, { headers, json }, expected] of PAIRS) {
  const shown = `${line} ${JSON.stringify({ headers, json })}`;
  closed(`${shown} does not tell another user's from what does not exist`, async (world) => {
    const [existing, missing] = await Promise.all([EXISTING, MISSING].map(async (values) => {
      const answer = await world.expect(expected, fill(line, values), {
        as: world.ada, ...(headers && { headers }),
        ...(json !== undefined && { json: JSON.parse(fill(JSON.stringify(json), values)) }),
      });
      const { date: _, 'x-request-id': __, 'content-length': ___, ...fields } = answer.headers;
      const text = answer.text.replace(/"request_id":"[^"]*"/, '')
        .replace(new RegExp(`\\b(${Object.values(values).join('|')})\\b`, 'g'), '…');
      return { fields, text };
    }));
    assert.deepEqual(existing, missing);
  });
}

/** A hidden record must not be read, because the time of the read would reveal the record. */
test("a hidden user's or project's record is not read", async (t) => {
  const database = await openTestDatabase(t);
  const reads: [sql: string, rows: number][] = [];
  const world = await startWorld(t, { directory: 'closed' }, withMethods(database, {
    async read(statement, consistency) {
      const rows = await database.read(statement, consistency);
      reads.push([statement.sql, rows.length]);
      return rows;
    },
  }));
  await createProjects(world);
  const as = await world.issueToken(world.ada);
  await world.call('GET /api/v1/users/ada', { as }); // from now on, the token is cached
  const readsFor = async (path: string) => {
    reads.length = 0;
    await world.call(`GET /api/v1/${path}`, { as });
    return [...reads];
  };
  for (const [hidden, missing] of [
    ['users/eve', 'users/nobody'], ['users/2', 'users/9'],
    ['projects/garden', 'projects/none'], ['projects/2', 'projects/9'],
  ] as const) {
    assert.deepEqual(await readsFor(hidden), await readsFor(missing));
    assert.equal((await readsFor(hidden)).at(-1)?.[1], 0);
  }
  for (const own of ['users/ada', 'projects/engine']) {
    assert.equal((await readsFor(own)).at(-1)?.[1], 1);
  }
});

closed('a taken name is 422 without a word about whose it is', async ({ ada: as, expect }) => {
  const user = await expect(422, 'PATCH /api/v1/users/ada', { as, json: { username: 'Eve' } });
  const project = await expect(422, 'POST /api/v1/projects', { as, json: { name: 'Garden' } });
  assert.doesNotMatch(user.text + project.text, /example\.org|"id"|\b(2|eve|garden)\b/);
});

people('DIRECTORY=open, the default, shows all users and projects to every user', async (world) => {
  const { ada: as, expect } = world;
  await createProjects(world);
  assert.deepEqual(await world.namesIn('users', as), ['ada', 'eve', 'root']);
  for (const path of ['users/eve', 'projects/garden', 'projects?owner=eve']) {
    await expect(200, `GET /api/v1/${path}`, { as });
  }
});

closed('a token of a user shows no more than the password', async ({ ada, expect, issueToken }) => {
  const as = await issueToken(ada);
  for (const path of ['users/eve', 'projects/garden', 'users/eve']) {
    await expect(404, `GET /api/v1/${path}`, { as }); // the second read uses a cached token
  }
});
