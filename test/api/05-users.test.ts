/** Tests the sections "GET /api/v1/users" and "GET /api/v1/users/{username_or_id}" of the specification. */
import assert from 'node:assert/strict';
import { basic, people, shared, startService, type TestService } from '../support/service.ts';

const LIST = 'GET /api/v1/users';
const DATE = '2026-01-01T00:00:00.000Z';

const NAMES = ['anna', 'Hannah', 'joanna', 'a_b', 'a.b', 'ÄNNE', 'zoe@x'];

/** Defines a test that only reads. The users have the ids from 1 to 7. `as` are the credentials of user 1. */
const reads = shared(async (t) => {
  const service = await startService(t);
  for (const username of NAMES) {
    await service.register(username);
  }
  return { ...service, as: basic('anna', 'anna-password') };
});

/**
 * Reads a page of the list of users. @returns The usernames, and the relations of the links to other pages.
 */
async function readPage({ expect }: TestService, query: string, as: string) {
  const { headers, json: { users } } = await expect(200, `${LIST}${query}`, { as });
  assert.equal(headers['count'], String(users.length));
  const links = [...String(headers['link']).matchAll(/rel="(\w+)"/g)].map(([, relation]) => relation);
  return { names: users.map(({ username }: { username: string }) => username), links };
}

// spec 2.1-3, 2.1-10, 2.4-2, 4.4-11
people('GET /api/v1/users lists id, username, email, date, role, projects, no password', async (world) => {
  await world.createProject(world.ada, 'engine', 'analytical');
  const { json } = await world.expect(200, `${LIST}?role=user`, { as: world.ada });
  const [owner, other] = ['ada', 'eve'].map((username) => ({ username, email: `${username}@example.org` }));
  const rest = { date_created: DATE, is_admin: false, disabled: false };
  const project = { id: 1, name: 'engine', description: 'analytical', date_created: DATE, owner };
  assert.deepEqual(json, {
    users: [
      { id: 1, ...owner, ...rest, projects_total: 1, projects: [project] },
      { id: 2, ...other, ...rest, projects_total: 0, projects: [] },
    ],
  });
});

for (const [query, expected] of [
  ['', NAMES],
  ['?contains=ann', ['anna', 'Hannah', 'joanna']],
  ['?contains=ANN', ['anna', 'Hannah', 'joanna']],
  ['?starts_with=a', ['anna', 'a_b', 'a.b']],
  ['?ends_with=a', ['anna', 'joanna']],
  ['?starts_with=a&ends_with=a', ['anna']],
  ['?starts_with=anna&ends_with=anna', []],
  ['?starts_with=an&ends_with=na', ['anna']],
  ['?starts_with=ann&ends_with=nna', []],
  ['?contains=h&starts_with=x&ends_with=y', ['Hannah']],
  ['?contains=_', ['a_b']],
  ['?contains=%25', []],
  ['?contains=%5C', []],
  ['?starts_with=a_', ['a_b']],
  ['?contains=%C3%A4', ['ÄNNE']],
  ['?contains=A%CC%88nne', ['ÄNNE']],
  ['?contains=', NAMES],
  ['?contains=&starts_with=j', ['joanna']],
  ['?contains=nobody', []],
  ['?contains=%00', []],
  [`?contains=${'a'.repeat(9000)}`, []],
  ['?contains=ann&page=2&items_per_page=2', ['joanna']],
] as const) {
  // spec 4.4-2, 4.4-3, 4.4-4, 4.4-7, 4.4-8, 4.4-9, 4.4-10, 4.4-11, 4.4-13
  reads(`GET /api/v1/users${query.slice(0, 50)} finds [${expected.join(', ')}]`, async (service) => {
    assert.deepEqual((await readPage(service, query, service.as)).names, expected);
  });
}

for (const [query, expected, links] of [
  ['', NAMES, ['first']],
  ['?items_per_page=3', NAMES.slice(0, 3), ['first', 'next']],
  ['?items_per_page=3&page=2', NAMES.slice(3, 6), ['first', 'prev', 'next']],
  ['?items_per_page=3&page=3', NAMES.slice(6), ['first', 'prev']],
  ['?items_per_page=3&page=4', [], ['first', 'prev']],
  ['?items_per_page=7', NAMES, ['first']],
  ['?page=9007199254740991', [], ['first', 'prev']],
] as const) {
  // spec 4-2, 4-3, 4.4-10, 4.4-12
  reads(`GET /api/v1/users${query} is [${expected.join()}], linked to ${links.join()}`, async (service) => {
    assert.deepEqual(await readPage(service, query, service.as), { names: expected, links });
  });
}

// spec 4-3, 8-1, 8-2
reads('the headers page and items_per_page are by default 1 and 1000', async ({ as, expect }) => {
  const { headers } = await expect(200, LIST, { as });
  assert.deepEqual([headers['page'], headers['items_per_page']], ['1', '1000']);
});

reads('the link to the next page keeps the search and works', async (service) => {
  const { as } = service;
  const first = await service.call(`${LIST}?contains=o&items_per_page=1`, { as });
  const next = /users([^>]+)>; rel="next"/.exec(String(first.headers['link']))?.[1] ?? '';
  assert.deepEqual((await readPage(service, next, as)).names, ['zoe@x']);
});

for (const parameter of ['page', 'items_per_page']) {
  for (const value of [
    '0', '-1', '1.0', '1e2', 'x', '', '+1', '0x1', 'Infinity', '1%002', '%C2%B2',
    ...(parameter === 'page' ? ['99999999999999999999'] : []),
  ]) {
    // spec 4-2, 4.4-12
    reads(`${parameter}=${value} is 400 and names the parameter`, async ({ as, expect }) => {
      const { json } = await expect(400, `${LIST}?${parameter}=${value.replace('+', '%2B')}`, { as });
      assert.match(json['detail'], new RegExp(`"${parameter}"`));
    });
  }
}

for (const value of ['0', '-1']) {
  reads(`page=${value} is an integer that is too small`, async ({ as, expect }) => {
    const { json } = await expect(400, `${LIST}?page=${value}`, { as });
    assert.equal(json['detail'], 'Invalid query parameters: "page" must be at least 1');
    assert.deepEqual(json['errors'], [
      { parameter: 'page', keyword: 'minimum', message: 'must be at least 1' },
    ]);
  });
}

reads('one response lists every invalid parameter', async ({ as, expect }) => {
  const { json } = await expect(400, `${LIST}?page=0&items_per_page=x&sort=email`, { as });
  assert.deepEqual(json['errors'].map(({ parameter }: { parameter: string }) => parameter), [
    'sort', 'page', 'items_per_page',
  ]);
});

for (const [items, used] of [
  ['1', '1'], ['999', '999'], ['1000', '1000'], ['1001', '1000'], ['5000', '1000'], ['9'.repeat(30), '1000'],
] as const) {
  // spec 8-3, 8-5
  reads(`items_per_page=${items} is served as ${used}, as the header says`, async ({ as, expect }) => {
    for (const path of ['users', 'projects']) {
      const { headers } = await expect(200, `GET /api/v1/${path}?items_per_page=${items}`, { as });
      assert.equal(headers['items_per_page'], used);
      assert.match(String(headers['link']), new RegExp(`items_per_page=${used}>; rel="first"`));
    }
  });
}

// spec 2.1-3, 2.1-6, 4.6-4
people('GET /api/v1/users/{username_or_id} returns username, email, projects with owners', async (world) => {
  const { ada: as } = world;
  await world.createProject(as, 'b');
  await world.createProject(as, 'a');
  const { json } = await world.expect(200, `${LIST}/ada`, { as });
  const owner = { username: 'ada', email: 'ada@example.org' };
  const rest = { description: '', date_created: DATE, owner };
  assert.deepEqual(json, {
    id: 1, ...owner, date_created: DATE, is_admin: false, disabled: false, projects_total: 2,
    projects: [{ id: 1, name: 'b', ...rest }, { id: 2, name: 'a', ...rest }],
  });
});

for (const [segment, found] of [
  ['1', 'anna'], ['2', 'Hannah'], ['0002', 'Hannah'], ['+1', 'anna'], ['%2B1', 'anna'],
  ['ANNA', 'anna'], ['%61nna', 'anna'], ['a.b', 'a.b'], ['zoe%40x', 'zoe@x'],
  ['0', undefined], ['8', undefined], ['nobody', undefined], ['-1', undefined], ['+0', undefined],
  ['1.0', undefined], ['9223372036854775808', undefined], ['9'.repeat(300), undefined],
  ['anna%00', undefined], ['%20anna', undefined], ['%D9%A1', undefined], ["anna'%20OR%201=1--", undefined],
] as const) {
  // spec 2.1-1, 4.6-3, 4.6-5
  reads(`GET /api/v1/users/${segment.slice(0, 30)} finds ${found ?? 'nobody: 404'}`, async ({
    as, expect,
  }) => {
    const { json } = await expect(found === undefined ? 404 : 200, `${LIST}/${segment}`, { as });
    assert.equal(json['username'], found);
  });
}
