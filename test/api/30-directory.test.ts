/** With `DIRECTORY=closed`, only administrators can see other users and the projects of other users. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallOptions } from '../support/http-client.ts';
import { shared, startWorld, type World } from '../support/service.ts';

async function furnish(world: World): Promise<World> {
  await world.createProject(world.ada, 'engine');
  await world.createProject(world.eve, 'garden');
  await world.issueToken(world.eve);
  return world;
}

const closed = shared(async (t) => furnish(await startWorld(t, { directory: 'closed' })));

closed.each('for a plain user, GET /api/v1/{0} lists and counts only own records', [
  ['users', 1], ['users?contains=e', 0], ['users?starts_with=e', 0], ['users?ends_with=a', 1],
  ['users?role=administrator', 0], ['users?state=enabled', 1], ['users?sort=-username', 1],
  ['users?sort=-date_created&items_per_page=1', 1], ['users?page=2&items_per_page=1', 1, 0],
  ['users?contains=eve', 0], ['users?starts_with=a', 1],
  ['projects', 1], ['projects?contains=e', 1], ['projects?starts_with=g', 0], ['projects?sort=-name', 1],
  ['projects?owner=ADA', 1],
], async ({ ada: as, expect, namesIn }, [path, total, count = total]) => {
  const { headers } = await expect(200, `GET /api/v1/${path}`, { as });
  assert.deepEqual(await namesIn(path, as), Array(count).fill(path.startsWith('users') ? 'ada' : 'engine'));
  assert.deepEqual([headers['count'], headers['total']], [String(count), String(total)]);
  assert.equal(headers['total-relation'], 'exact');
  assert.doesNotMatch(String(headers['link']), /next/);
});

closed('administrators find everybody', async ({ expect, namesIn, root }) => {
  assert.deepEqual(await namesIn('users', root), ['ada', 'eve', 'root']);
  assert.deepEqual(await namesIn('projects', root), ['engine', 'garden']);
  await expect(200, 'GET /api/v1/users/eve', { as: root });
});

const EXISTING = { 'user': 'eve', 'user id': '2', 'project': 'garden', 'project id': '2', 'token id': '1' };
const MISSING = { 'user': 'nobody', 'user id': '9', 'project': 'none', 'project id': '9', 'token id': '9' };

closed.each('{1} with {2} gets the same response for hidden and for missing records', [
  [404, 'GET /api/v1/users/{user}'],
  [404, 'GET /api/v1/users/{user}', { headers: { 'If-None-Match': '*' } }],
  [404, 'GET /api/v1/users/{user id}'],
  [404, 'HEAD /api/v1/users/{user}'],
  [404, 'PATCH /api/v1/users/{user}', { json: { email: 'x@example.org' } }],
  [404, 'PATCH /api/v1/users/{user}', { json: { is_admin: true }, headers: { 'If-Match': '"x"' } }],
  [404, 'DELETE /api/v1/users/{user}'],
  [404, 'DELETE /api/v1/users/{user id}?owned_projects=delete'],
  [404, 'PUT /api/v1/users/{user}/password', { json: { password: 'x' } }],
  [400, 'DELETE /api/v1/users/ada?owned_projects=transfer&new_owner={user}'],
  [404, 'GET /api/v1/projects/{project}'],
  [404, 'GET /api/v1/projects/{project id}'],
  [404, 'PATCH /api/v1/projects/{project}', { json: { description: 'x' } }],
  [404, 'DELETE /api/v1/projects/{project id}', { headers: { 'If-Match': '"x"' } }],
  [400, 'GET /api/v1/projects?owner={user}'],
  [400, 'POST /api/v1/projects', { json: { name: 'new', owner: '{user}' } }],
  [400, 'PATCH /api/v1/projects/engine', { json: { owner: '{user}' } }],
  [403, 'GET /api/v1/tokens?username={user}'],
  [403, 'DELETE /api/v1/tokens?username={user}'],
  [200, 'DELETE /api/v1/token?username={user}'],
  [404, 'GET /api/v1/tokens/{token id}'],
  [404, 'DELETE /api/v1/tokens/{token id}'],
], async ({ ada: as, expect }, [status, line, options = {}]) => {
  const [existing, missing] = await Promise.all([EXISTING, MISSING].map(async (values) => {
    const fill = (text: string) => Object.entries<string>(values)
      .reduce((filled, [name, value]) => filled.replaceAll(`{${name}}`, value), text);
    const own: CallOptions = JSON.parse(fill(JSON.stringify(options)));
    const { headers, text } = await expect(status, fill(line), { as, ...own });
    const { date: _, 'x-request-id': id, 'content-length': __, ...fields } = headers;
    const names = new RegExp(`\\b(${Object.values(values).join('|')})\\b`, 'g');
    return { fields, text: text.replace(String(id), '').replace(names, '…') };
  }));
  assert.deepEqual(existing, missing);
});

/** The service must not read a hidden record, because the duration of the read would reveal the record. */
test("a hidden user's or project's record is not read, nor shown to a token", async (t) => {
  const world = await furnish(await startWorld(t, { directory: 'closed' }));
  const { mock } = t.mock.method(world.database, 'read');
  const as = await world.issueToken(world.ada);
  await world.call('GET /api/v1/users/ada', { as }); // now the service caches the token
  const readsFor = async (path: string, status: number) => {
    mock.resetCalls();
    await world.expect(status, `GET /api/v1/${path}`, { as });
    return Promise.all(mock.calls.map(async (call) =>
      [call.arguments[0].sql, (await call.result)?.length] as const));
  };
  for (const [hidden, missing] of [
    ['users/eve', 'users/nobody'], ['users/2', 'users/9'],
    ['projects/garden', 'projects/none'], ['projects/2', 'projects/9'],
  ] as const) {
    assert.deepEqual(await readsFor(hidden, 404), await readsFor(missing, 404));
    assert.equal((await readsFor(hidden, 404)).at(-1)?.[1], 0);
  }
  for (const own of ['users/ada', 'projects/engine']) {
    assert.equal((await readsFor(own, 200)).at(-1)?.[1], 1);
  }
});

closed('a taken name is 422 without a word about whose it is', async ({ ada: as, expect }) => {
  const user = await expect(422, 'PATCH /api/v1/users/ada', { as, json: { username: 'Eve' } });
  const project = await expect(422, 'POST /api/v1/projects', { as, json: { name: 'Garden' } });
  assert.doesNotMatch(user.text + project.text, /example\.org|"id"|\b(2|eve|garden)\b/);
});
