import assert from 'node:assert/strict';
import { basic, people, shared, startService } from '../support/service.ts';

const LIST = 'GET /api/v1/users';

const NAMES = ['anna', 'Hannah', 'joanna', 'a_b', 'a.b', 'ÄNNE', 'zoe@x'];

/** The users have the ids 1 to 7. `as` contains the credentials of user 1. */
const reads = shared(async (t) => {
  const service = await startService(t);
  for (const username of NAMES) {
    await service.register(username);
  }
  return { ...service, as: basic('anna', 'anna-password') };
});

// spec 2.1-3, 2.1-6, 2.1-10, 2.4-2, 4-3, 4.4-11, 4.6-4, 8-1, 8-2
people('a user has id, username, email, date, role, projects, no password, also in lists', async (world) => {
  const { ada: as, expect } = world;
  await world.createProject(as, 'engine', 'analytical');
  await world.createProject(as, 'a');
  const date_created = '2026-01-01T00:00:00.000Z';
  const [owner, other] = ['ada', 'eve'].map((username) => ({ username, email: `${username}@example.org` }));
  const rest = { date_created, is_admin: false, disabled: false };
  const ada = {
    id: 1, ...owner, ...rest, projects_total: 2,
    projects: [
      { id: 1, name: 'engine', description: 'analytical', date_created, owner },
      { id: 2, name: 'a', description: '', date_created, owner },
    ],
  };
  assert.deepEqual((await expect(200, `${LIST}/ada`, { as })).json, ada);
  const { headers, json } = await expect(200, `${LIST}?role=user`, { as });
  assert.deepEqual(json, { users: [ada, { id: 2, ...other, ...rest, projects_total: 0, projects: [] }] });
  assert.deepEqual([headers['page'], headers['items_per_page'], headers['count']], ['1', '1000', '2']);
});

// spec 4-2, 4-3, 4.4-2, 4.4-3, 4.4-4, 4.4-7, 4.4-8, 4.4-9, 4.4-10, 4.4-11, 4.4-12, 4.4-13
reads.each('GET /api/v1/users{2} finds {0}, linked to {1}', [
  [NAMES, 'first', '', '?contains=', '?items_per_page=7'],
  [['anna', 'Hannah', 'joanna'], 'first', '?contains=ann', '?contains=ANN'],
  [['anna', 'a_b', 'a.b'], 'first', '?starts_with=a'],
  [['anna', 'joanna'], 'first', '?ends_with=a'],
  [['anna'], 'first', '?starts_with=a&ends_with=a', '?starts_with=an&ends_with=na'],
  [['Hannah'], 'first', '?contains=h&starts_with=x&ends_with=y'],
  [['a_b'], 'first', '?contains=_', '?starts_with=a_'],
  [['ÄNNE'], 'first', '?contains=%C3%A4', '?contains=A%CC%88nne'],
  [['joanna'], 'first', '?contains=&starts_with=j'],
  [
    [], 'first', '?contains=nobody', '?starts_with=anna&ends_with=anna', '?starts_with=ann&ends_with=nna',
    '?contains=%25', '?contains=%5C', '?contains=%00', `?contains=${'a'.repeat(9000)}`,
  ],
  [['joanna'], 'first,prev', '?contains=ann&page=2&items_per_page=2'],
  [NAMES.slice(0, 3), 'first,next', '?items_per_page=3'],
  [NAMES.slice(3, 6), 'first,prev,next', '?items_per_page=3&page=2'],
  [NAMES.slice(6), 'first,prev', '?items_per_page=3&page=3'],
  [[], 'first,prev', '?items_per_page=3&page=4', '?page=9007199254740991'],
], async ({ as, expect }, [expected, links, ...queries]) => {
  for (const query of queries) {
    const { headers, json: { users } } = await expect(200, `${LIST}${query}`, { as });
    assert.deepEqual(users.map(({ username }: { username: string }) => username), expected);
    const relations = [...String(headers['link']).matchAll(/rel="(\w+)"/g)].map(([, relation]) => relation);
    assert.deepEqual([headers['count'], relations.join()], [String(expected.length), links]);
  }
});

// spec 4-2, 4.4-12
reads.each('an invalid {0} is 400, names the parameter, and says whether it is too small', [
  'page', 'items_per_page',
], async ({ as, expect }, parameter) => {
  for (const value of [
    '0', '-1', '1.0', '1e2', 'x', '', '%2B1', '0x1', 'Infinity', '1%002', '%C2%B2',
    ...(parameter === 'page' ? ['99999999999999999999'] : []),
  ]) {
    const { json: { detail, errors } } = await expect(400, `${LIST}?${parameter}=${value}`, { as });
    const [{ keyword, message }] = errors;
    assert.deepEqual(errors, [{ parameter, keyword, message }]);
    assert.equal(detail, `Invalid query parameters: "${parameter}" ${message}`);
    assert.equal(keyword === 'minimum' && message === 'must be at least 1', value === '0' || value === '-1');
  }
});

reads('one response lists every invalid parameter', async ({ as, expect }) => {
  const { json } = await expect(400, `${LIST}?page=0&items_per_page=x&sort=email`, { as });
  assert.deepEqual(json['errors'].map(({ parameter }: { parameter: string }) => parameter), [
    'sort', 'page', 'items_per_page',
  ]);
});

// spec 8-3, 8-5
reads.each('items_per_page={0} is served as {1}, as the header says', [
  ['1', '1'], ['999', '999'], ['1000', '1000'], ['1001', '1000'], ['5000', '1000'], ['9'.repeat(30), '1000'],
], async ({ as, expect }, [items, used]) => {
  for (const path of ['users', 'projects']) {
    const { headers } = await expect(200, `GET /api/v1/${path}?items_per_page=${items}`, { as });
    assert.equal(headers['items_per_page'], used);
    assert.match(String(headers['link']), new RegExp(`items_per_page=${used}>; rel="first"`));
  }
});

// spec 2.1-1, 4.6-3, 4.6-5
reads.each('GET /api/v1/users/{1} finds {0}', [
  ['anna', '1', '+1', '%2B1', 'ANNA', '%61nna'], ['Hannah', '2', '0002'],
  ['a.b', 'a.b'], ['zoe@x', 'zoe%40x'],
  [
    undefined, '0', '8', 'nobody', '-1', '+0', '1.0', '9223372036854775808', '9'.repeat(400), 'anna%00',
    '%20anna', 'anna%2F', '%7Busername_or_id%7D', '__proto__', '%201', '1%0A', '%D9%A1', '9007199254740991',
    '9007199254740992', "anna'%20OR%201=1--",
  ],
], async ({ as, expect }, [found, ...segments]) => {
  for (const segment of segments) {
    const { json } = await expect(found === undefined ? 404 : 200, `${LIST}/${segment}`, { as });
    assert.equal(json['username'], found);
  }
});
