/**
 * Tests `PATCH /api/v1/projects/{project_name_or_id}`, and the parameter `sort` of the lists of users and
 * projects.
 */
import assert from 'node:assert/strict';
import {
  answers, atOnce, basic, people, shared, startService, times, type World,
} from '../support/service.ts';

const CHANGE = 'PATCH /api/v1/projects/engine';

/** Ada owns "engine", and eve owns "loom". */
async function createProjects({ ada, eve, createProject }: World): Promise<void> {
  await createProject(ada, 'engine', 'analytical');
  await createProject(eve, 'loom');
}

people('PATCH changes name and description, returns the new state, changes nothing else', async (world) => {
  const { ada: as, expect } = world;
  await createProjects(world);
  const json = { name: 'Difference Engine', id: 9, date_created: 'x', owner_id: 2, version: 1 };
  const { headers, json: answer } = await expect(200, CHANGE, { as, json });
  assert.deepEqual(answer, {
    id: 1, name: 'Difference Engine', description: 'analytical', date_created: '2026-01-01T00:00:00.000Z',
    owner: { username: 'ada', email: 'ada@example.org' },
  });
  const read = await expect(200, 'GET /api/v1/projects/1', { as });
  assert.deepEqual([read.json, read.headers.etag], [answer, headers.etag]);
  await expect(404, 'GET /api/v1/projects/engine', { as });
});

people('after root transfers the project of ada to eve, eve may change it and ada may not', async (world) => {
  const { ada, eve, expect, root } = world;
  await createProjects(world);
  const { json } = await expect(200, CHANGE, { as: root, json: { owner: 'EVE' } });
  assert.deepEqual(json['owner'], { username: 'eve', email: 'eve@example.org' });
  assert.deepEqual(await world.namesIn('projects?owner=eve', ada), ['engine', 'loom']);
  await expect(403, 'DELETE /api/v1/projects/engine', { as: ada });
  await expect(200, CHANGE, { as: eve, json: { name: 'x' } });
});

answers('PATCH /api/v1/projects/*', [
  ['ada', 'engine', {}, 200], ['ada', '1', { description: '' }, 200],
  ['ada', 'ENGINE', { name: 'ENGINE' }, 200], ['root', 'engine', { name: 'x' }, 200],
  ['ada', 'engine', { owner: 'ada' }, 200], ['ada', 'engine', { owner: 'eve' }, 403],
  ['ada', 'engine', { name: 'loom' }, 422], ['ada', 'engine', { name: 'LOOM' }, 422],
  ['ada', 'engine', { owner: 'nobody' }, 400], ['ada', 'engine', { name: '12' }, 400],
  ['ada', 'engine', { name: '' }, 400], ['ada', 'engine', { description: 'x'.repeat(2_001) }, 400],
  ['ada', 'engine', { owner: 2 }, 400], ['ada', 'engine', { name: null }, 400], ['ada', 'engine', 7, 400],
  ['eve', 'engine', {}, 403], ['eve', '1', { owner: 'eve' }, 403], ['ada', 'loom', { owner: 'ada' }, 403],
  ['ada', 'nothing', {}, 404], ['root', '99', {}, 404],
], { arrange: createProjects });

people('forty concurrent unconditional changes of one project all succeed', async (world) => {
  await createProjects(world);
  const statuses = await atOnce(40, (index) =>
    world.call(CHANGE, { as: world.ada, json: { description: `${index}` } }));
  assert.deepEqual(statuses, times(40, 200));
});

people('giving a project to a new owner who is deleted meanwhile succeeds or is 400', async (world) => {
  const { call, expect, root: as } = world;
  await createProjects(world);
  const remove = () => call('DELETE /api/v1/users/guest?owned_projects=transfer&new_owner=ada', { as });
  for (let round = 1; round <= 10; round += 1) {
    await world.register('guest');
    const [creation, transfer] = await Promise.all([
      call('POST /api/v1/projects', { as, json: { name: `new ${round}`, owner: 'guest' } }),
      call(CHANGE, { as, json: { owner: 'guest' } }), remove(),
    ]);
    assert.ok([201, 400].includes(creation.status), String(creation.status));
    assert.ok([200, 400].includes(transfer.status), String(transfer.status));
    await remove();
  }
  await expect(200, 'GET /api/v1/projects?owner=ada', { as });
});

/** Defines a test that only reads. Each user owns a project that is named after the user. */
const reads = shared(async (t) => {
  const service = await startService(t);
  for (const name of ['bob', 'Ann', 'eve', 'ädam']) {
    await service.createProject(await service.register(name), name);
  }
  return { ...service, as: basic('bob', 'bob-password') };
});

reads.each('GET /api/v1/{0}?sort={2} is {1}', [
  ['users', ['bob', 'Ann', 'eve', 'ädam'], '', 'id', 'date_created'],
  ['users', ['ädam', 'eve', 'Ann', 'bob'], '-id', '-date_created'],
  ['users', ['Ann', 'bob', 'eve', 'ädam'], 'username'],
  ['users', ['ädam', 'eve', 'bob', 'Ann'], '-username'],
  ['users', 400, 'name', 'email', 'ID', '--id', '%2Bid', 'id,username', 'password_hash', '-', 'id&sort=id'],
  ['projects', ['bob', 'Ann', 'eve', 'ädam'], ''],
  ['projects', ['ädam', 'eve', 'Ann', 'bob'], '-id', '-date_created'],
  ['projects', ['Ann', 'bob', 'eve', 'ädam'], 'name'],
  ['projects', ['ädam', 'eve', 'bob', 'Ann'], '-name'],
  ['projects', 400, 'username', 'owner'],
], async ({ as, expect, namesIn }, [list, expected, ...sorts]) => {
  for (const sort of sorts) {
    const query = `${list}?sort=${sort}`;
    if (expected === 400) {
      await expect(expected, `GET /api/v1/${query}`, { as });
    } else {
      assert.deepEqual(await namesIn(query, as), expected);
    }
  }
});

people('sort combines with search, filter and pages, and links keep it', async (world) => {
  const { ada: as, call } = world;
  for (const name of ['b1', 'a1', 'c1', 'x2']) {
    await world.createProject(as, name);
  }
  const query = 'projects?ends_with=1&owner=ada&sort=-name&items_per_page=2';
  assert.deepEqual(await world.namesIn(query, as), ['c1', 'b1']);
  const { headers } = await call(`GET /api/v1/${query}`, { as });
  const next = /<\/api\/v1\/([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1];
  assert.deepEqual(await world.namesIn(String(next), as), ['a1']);
});
