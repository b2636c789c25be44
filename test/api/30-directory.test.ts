/** `DIRECTORY=closed`: for plain users, other users and their projects do not exist. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openTestDatabase, withMethods } from '../support/database.ts';
import type { CallOptions } from '../support/http-client.ts';
import { startService } from '../support/service.ts';

/** Starts a closed service where ada owns "engine" and eve owns "garden". */
async function start(t: TestContext, directory: 'open' | 'closed' = 'closed', database?: Database) {
  const service = await startService(t, { directory }, database);
  const root = await service.registerAdministrator('root');
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  await service.createProject(ada, 'engine');
  await service.createProject(eve, 'garden');
  return { service, root, ada, eve };
}

const names = (items: readonly { readonly username?: string; readonly name?: string }[]) =>
  items.map(({ username, name }) => username ?? name);

for (const query of [
  '', '?contains=e', '?starts_with=e', '?ends_with=a', '?role=administrator', '?state=enabled',
  '?sort=-username',
  '?sort=-date_created&items_per_page=1', '?page=2&items_per_page=1', '?contains=eve', '?starts_with=a',
]) {
  test(`GET /api/v1/users${query} shows a plain user at most the user, also in its numbers`, async (t) => {
    const { service, ada } = await start(t);
    const { headers, json } = await service.call(`GET /api/v1/users${query}`, { as: ada });
    assert.deepEqual(names(json['users']).filter((name) => name !== 'ada'), []);
    assert.equal(headers['count'], String(json['users'].length));
    assert.ok(Number(headers['total']) <= 1 && headers['total-relation'] === 'exact');
    assert.doesNotMatch(String(headers['link']), /next/);
  });
}

test('plain users find themselves, and administrators everybody', async (t) => {
  const { service, root, ada } = await start(t);
  const seenBy = async (as: string) => names((await service.call('GET /api/v1/users', { as })).json['users']);
  assert.deepEqual([await seenBy(ada), await seenBy(root)], [['ada'], ['root', 'ada', 'eve']]);
  const projectsOf = async (as: string) =>
    names((await service.call('GET /api/v1/projects', { as })).json['projects']);
  assert.deepEqual([await projectsOf(ada), await projectsOf(root)], [['engine'], ['engine', 'garden']]);
  await service.expect(200, 'GET /api/v1/users/eve', { as: root });
  assert.equal((await service.call('GET /api/v1/users/2', { as: ada })).json['username'], 'ada');
  const own = await service.call('GET /api/v1/projects?owner=ADA', { as: ada });
  assert.equal(own.headers['total'], '1');
});

test('project lists have the projects of the caller only, also in their numbers', async (t) => {
  const { service, ada } = await start(t);
  for (const [query, total] of [
  ['', '1'], ['?contains=e', '1'], ['?starts_with=g', '0'], ['?sort=-name', '1'],
]) {
    const { headers, json } = await service.call(`GET /api/v1/projects${query}`, { as: ada });
    assert.deepEqual([headers['total'], names(json['projects']).includes('garden')], [total, false]);
  }
});

/** Requests about somebody or something else, and the same about what does not exist. */
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

const EXISTING = { 'user': 'eve', 'user id': '3', 'project': 'garden', 'project id': '2', 'token id': '1' };
const MISSING = {
  'user': 'nobody', 'user id': '9', 'project': 'nothing', 'project id': '9', 'token id': '9',
};

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-z ]+)\}/g, (whole, name) => values[name] ?? whole);
}

for (const [line, { headers, json }, expected] of PAIRS) {
  const shown = `${line} ${JSON.stringify({ headers, json })}`;
  test(`${shown} does not tell another user's from what does not exist`, async (t) => {
    const { service, ada, eve } = await start(t);
    await service.issueToken(eve);
    const answers = [];
    for (const values of [EXISTING, MISSING]) {
      const content = json === undefined ? {} : { json: JSON.parse(fill(JSON.stringify(json), values)) };
      const answer = await service.call(fill(line, values), {
        as: ada, ...content, ...(headers && { headers }),
      });
      const { date: _, 'x-request-id': __, 'content-length': ___, ...fields } = answer.headers;
      const text = answer.text.replace(/"request_id":"[^"]*"/, '')
        .replace(new RegExp(`\\b(${Object.values(values).join('|')})\\b`, 'g'), '…');
      answers.push({ status: answer.status, fields, text });
    }
    assert.equal(answers[0]?.status, expected);
    assert.deepEqual(answers[0], answers[1]);
  });
}

test("a hidden user's record is not read, since that takes longer than to find nobody", async (t) => {
  const database = await openTestDatabase(t);
  const reads: [sql: string, rows: number][] = [];
  const { service, ada } = await start(t, 'closed', withMethods(database, {
    async read(statement, consistency) {
      const rows = await database.read(statement, consistency);
      reads.push([statement.sql, rows.length]);
      return rows;
    },
  }));
  const as = await service.issueToken(ada);
  await service.call('GET /api/v1/users/ada', { as }); // from now on the token is known
  const readsFor = async (name: string) => {
    reads.length = 0;
    await service.call(`GET /api/v1/users/${name}`, { as });
    return [...reads];
  };
  for (const [hidden, missing] of [['eve', 'nobody'], ['3', '9']] as const) {
    assert.deepEqual(await readsFor(hidden), await readsFor(missing));
    assert.equal((await readsFor(hidden)).at(-1)?.[1], 0);
  }
  assert.equal((await readsFor('ada')).at(-1)?.[1], 1);
});

test('a hidden project is not read, since that takes longer than to find none', async (t) => {
  const database = await openTestDatabase(t);
  const found: number[] = [];
  const { service, ada } = await start(t, 'closed', withMethods(database, {
    async read(statement, consistency) {
      const rows = await database.read(statement, consistency);
      found.push(...(statement.sql.includes('projects.') ? [rows.length] : []));
      return rows;
    },
  }));
  for (const name of ['garden', '2', 'none', '9', 'engine']) {
    await service.call(`GET /api/v1/projects/${name}`, { as: ada });
  }
  assert.deepEqual(found, [0, 0, 0, 0, 1]);
});

test('a taken name is 422 without a word about whose it is', async (t) => {
  const { service, ada } = await start(t);
  const user = await service.call('PATCH /api/v1/users/ada', { as: ada, json: { username: 'Eve' } });
  const project = await service.call('POST /api/v1/projects', { as: ada, json: { name: 'Garden' } });
  assert.deepEqual([user.status, project.status], [422, 422]);
  assert.doesNotMatch(user.text + project.text, /example\.org|"id"|\b(3|eve|garden)\b/);
});

test('DIRECTORY=open, the default, shows all users and projects to every user', async (t) => {
  const { service, ada } = await start(t, 'open');
  assert.equal((await service.call('GET /api/v1/users', { as: ada })).headers['total'], '3');
  await service.expect(200, 'GET /api/v1/users/eve', { as: ada });
  await service.expect(200, 'GET /api/v1/projects/garden', { as: ada });
  await service.expect(200, 'GET /api/v1/projects?owner=eve', { as: ada });
});

test('a token of a user shows no more than the password', async (t) => {
  const { service, ada } = await start(t);
  const as = await service.issueToken(ada);
  for (const line of ['GET /api/v1/users/eve', 'GET /api/v1/projects/garden', 'GET /api/v1/users/eve']) {
    await service.expect(404, line, { as }); // the second time with a known token
  }
});
