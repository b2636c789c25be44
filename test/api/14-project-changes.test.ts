/** `PATCH /api/v1/projects/{project_name_or_id}`, and `sort` on both lists. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { api, startService } from '../support/service.ts';

/** Starts a service where ada owns "engine" and eve owns "loom". @returns The service, and credentials. */
async function startWithProjects(t: TestContext) {
  const service = await startService(t);
  const [ada, eve] = [await service.register('ada'), await service.register('eve')];
  await service.createProject(ada, 'engine', 'analytical');
  await service.createProject(eve, 'loom');
  return { service, ada, eve, root: await service.registerAdministrator('root') };
}

test('PATCH changes name and description, returns the new state, and changes nothing else', async (t) => {
  const { service, ada } = await startWithProjects(t);
  const json = { name: 'Difference Engine', id: 9, date_created: 'x', owner_id: 2, version: 1 };
  const { headers, json: answer } = await service.expect(200, 'PATCH /api/v1/projects/engine', {
    as: ada, json,
  });
  assert.deepEqual(answer, {
    id: 1, name: 'Difference Engine', description: 'analytical', date_created: '2026-01-01T00:00:00.000Z',
    owner: { username: 'ada', email: 'ada@example.org' },
  });
  const read = await service.call('GET /api/v1/projects/1', { as: ada });
  assert.deepEqual(read.json, answer);
  assert.equal(read.headers.etag, headers.etag);
  await service.expect(404, 'GET /api/v1/projects/engine', { as: ada });
});

test('after root transfers the project of ada to eve, eve may change it and ada may not', async (t) => {
  const { service, ada, eve, root } = await startWithProjects(t);
  const { status, json } = await service.call(
    'PATCH /api/v1/projects/engine', { as: root, json: { owner: 'EVE' } },
  );
  assert.equal(status, 200);
  assert.deepEqual(json['owner'], { username: 'eve', email: 'eve@example.org' });
  assert.equal((await service.call('GET /api/v1/projects?owner=eve', { as: ada })).headers['count'], '2');
  await service.expect(403, 'DELETE /api/v1/projects/engine', { as: ada });
  await service.expect(200, 'PATCH /api/v1/projects/engine', { as: eve, json: { name: 'x' } });
});

for (const [caller, segment, json, status] of [
  ['ada', 'engine', {}, 200], ['ada', '1', { description: '' }, 200],
  ['ada', 'ENGINE', { name: 'ENGINE' }, 200], ['root', 'engine', { name: 'x' }, 200],
  ['ada', 'engine', { owner: 'ada' }, 200], ['ada', 'engine', { owner: 'eve' }, 403],
  ['ada', 'engine', { name: 'loom' }, 422], ['ada', 'engine', { name: 'LOOM' }, 422],
  ['ada', 'engine', { owner: 'nobody' }, 400], ['ada', 'engine', { name: '12' }, 400],
  ['ada', 'engine', { name: '' }, 400],
  ['ada', 'engine', { description: 'x'.repeat(2_001) }, 400],
  ['ada', 'engine', { owner: 2 }, 400], ['ada', 'engine', { name: null }, 400], ['ada', 'engine', 7, 400],
  ['eve', 'engine', {}, 403], ['eve', '1', { owner: 'eve' }, 403], ['ada', 'loom', { owner: 'ada' }, 403],
  ['ada', 'nothing', {}, 404], ['root', '99', {}, 404],
] as const) {
  const sent = JSON.stringify(json).slice(0, 40);
  test(`PATCH /api/v1/projects/${segment} by ${caller} with ${sent} is ${status}`, async (t) => {
    const { service, ...callers } = await startWithProjects(t);
    const answer = await service.call(`PATCH /api/v1/projects/${segment}`, { as: callers[caller], json });
    assert.equal(answer.status, status, answer.text);
  });
}

test('of eight concurrent renames to the same name, one is 200 and seven are 422', async (t) => {
  const { service, ada } = await startWithProjects(t);
  for (let number = 1; number <= 8; number += 1) {
    await service.createProject(ada, `p${number}`);
  }
  const calls = Array.from(
    { length: 8 },
    (_, index) => service.call(`PATCH /api/v1/projects/p${index + 1}`, { as: ada, json: { name: 'best' } }),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 422, 422, 422, 422, 422, 422, 422]);
});

test('forty concurrent unconditional changes of one project all succeed', async (t) => {
  const { service, ada } = await startWithProjects(t);
  const calls = Array.from(
    { length: 40 },
    (_, index) => service.call('PATCH /api/v1/projects/1', { as: ada, json: { description: `${index}` } }),
  );
  assert.ok((await Promise.all(calls)).every(({ status }) => status === 200));
});

test('creating or transferring a project while its new owner is deleted succeeds or is 400', async (t) => {
  const { service, root } = await startWithProjects(t);
  for (let round = 1; round <= 10; round += 1) {
    await service.register('guest');
    const [creation, handing] = await Promise.all([
      service.call('POST /api/v1/projects', { as: root, json: { name: `new ${round}`, owner: 'guest' } }),
      service.call('PATCH /api/v1/projects/engine', { as: root, json: { owner: 'guest' } }),
      service.call('DELETE /api/v1/users/guest?owned_projects=transfer&new_owner=ada', { as: root }),
    ]);
    assert.ok([201, 400].includes(creation.status), String(creation.status));
    assert.ok([200, 400].includes(handing.status), String(handing.status));
    await service.call('DELETE /api/v1/users/guest?owned_projects=transfer&new_owner=ada', { as: root });
  }
  await service.expect(200, 'GET /api/v1/projects?owner=ada', { as: root });
});

const PEOPLE = ['bob', 'Ann', 'eve', 'ädam'];

for (const [list, sort, expected] of [
  ['users', '', ['bob', 'Ann', 'eve', 'ädam']],
  ['users', 'id', ['bob', 'Ann', 'eve', 'ädam']],
  ['users', '-id', ['ädam', 'eve', 'Ann', 'bob']],
  ['users', 'username', ['Ann', 'bob', 'eve', 'ädam']],
  ['users', '-username', ['ädam', 'eve', 'bob', 'Ann']],
  ['users', 'date_created', ['bob', 'Ann', 'eve', 'ädam']],
  ['users', '-date_created', ['ädam', 'eve', 'Ann', 'bob']],
  ['users', 'name', 400], ['users', 'email', 400], ['users', 'ID', 400], ['users', '--id', 400],
  ['users', '%2Bid', 400],
  ['users', 'id,username', 400], ['users', 'password_hash', 400], ['users', '-', 400],
  ['users', 'id&sort=id', 400],
  ['projects', '', ['bob', 'Ann', 'eve', 'ädam']],
  ['projects', '-id', ['ädam', 'eve', 'Ann', 'bob']],
  ['projects', 'name', ['Ann', 'bob', 'eve', 'ädam']],
  ['projects', '-name', ['ädam', 'eve', 'bob', 'Ann']],
  ['projects', '-date_created', ['ädam', 'eve', 'Ann', 'bob']],
  ['projects', 'username', 400], ['projects', 'owner', 400],
] as const) {
  const outcome = typeof expected === 'number' ? expected : `[${expected.join(', ')}]`;
  api(`GET /api/v1/${list}?sort=${sort} is ${outcome}`, async (service) => {
    for (const name of PEOPLE) { // each user owns a project named after the user
      const as = await service.register(name);
      await service.createProject(as, name);
    }
    const { status, json } = await service.call(
      `GET /api/v1/${list}?sort=${sort}`, { as: await service.register('zoe') },
    );
    assert.equal(status, typeof expected === 'number' ? expected : 200);
    if (typeof expected !== 'number') {
      const names = json[list].map(({ username, name }: Record<string, string>) => username ?? name);
      assert.deepEqual(names.filter((name: string) => name !== 'zoe'), expected);
    }
  });
}

api('sort combines with search, filter and pages, and links keep it', async (service) => {
  const as = await service.register('ada');
  for (const name of ['b1', 'a1', 'c1', 'x2']) {
    await service.createProject(as, name);
  }
  const first = await service.call(
    'GET /api/v1/projects?ends_with=1&owner=ada&sort=-name&items_per_page=2', { as },
  );
  assert.deepEqual(first.json['projects'].map(({ name }: { name: string }) => name), ['c1', 'b1']);
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers['link']))?.[1];
  const second = await service.call(`GET ${next}`, { as });
  assert.deepEqual(second.json['projects'].map(({ name }: { name: string }) => name), ['a1']);
});
