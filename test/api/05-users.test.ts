/** Specification, "GET /api/v1/users" and "GET /api/v1/users/{username_or_id}". */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startService, type TestService } from '../support/service.ts';

/** Starts a service with these users. @returns The service, and a token of the first user. */
async function startWithUsers(
  t: TestContext, usernames: readonly string[],
): Promise<{ service: TestService; as: string }> {
  const service = await startService(t);
  for (const username of usernames) {
    await service.register(username);
  }
  const [first = ''] = usernames;
  const { json } = await service.call('POST /api/v1/token', {
    as: `Basic ${Buffer.from(`${first}:${first}-password`).toString('base64')}`,
  });
  return { service, as: `Bearer ${json['token']}` };
}

function usernamesOf(json: Record<string, any>): string[] {
  return json['users'].map(({ username }: { username: string }) => username);
}

// spec 2.1-3, 2.1-10, 2.4-2, 4.4-11
test('GET /api/v1/users lists id, username, email, date, role and projects, but no password', async (t) => {
  const { service, as } = await startWithUsers(t, ['ada', 'grace']);
  await service.createProject(as, 'engine', 'analytical');
  const { status, json } = await service.call('GET /api/v1/users', { as });
  const owner = { username: 'ada', email: 'ada@example.org' };
  const date_created = '2026-01-01T00:00:00.000Z';
  assert.equal(status, 200);
  assert.deepEqual(json, {
    users: [
      {
        id: 1, ...owner, date_created, is_admin: false, disabled: false, projects_total: 1,
        projects: [{ id: 1, name: 'engine', description: 'analytical', date_created, owner }],
      },
      {
        id: 2, username: 'grace', email: 'grace@example.org', date_created, is_admin: false,
        disabled: false, projects_total: 0, projects: [],
      },
    ],
  });
});

for (const [query, expected] of [
  ['', ['anna', 'Hannah', 'joanna', 'a_b', 'a.b', 'ÄNNE']],
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
  ['?contains=', ['anna', 'Hannah', 'joanna', 'a_b', 'a.b', 'ÄNNE']],
  ['?contains=&starts_with=j', ['joanna']],
  ['?contains=nobody', []],
  ['?contains=%00', []],
  [`?contains=${'a'.repeat(9000)}`, []],
  ['?contains=ann&page=2&items_per_page=2', ['joanna']],
] as const) {
  // spec 4.4-2, 4.4-3, 4.4-4, 4.4-7, 4.4-8, 4.4-9, 4.4-10, 4.4-11, 4.4-13
  test(`GET /api/v1/users${query.slice(0, 50)} finds [${expected.join(', ')}]`, async (t) => {
    const { service, as } = await startWithUsers(t, ['anna', 'Hannah', 'joanna', 'a_b', 'a.b', 'ÄNNE']);
    const { headers, json } = await service.expect(200, `GET /api/v1/users${query}`, { as });
    assert.deepEqual(usernamesOf(json), expected);
    assert.equal(headers['count'], String(expected.length));
  });
}

for (const [query, expected, links] of [
  ['', ['a1', 'a2', 'a3', 'a4', 'a5'], ['first']],
  ['?items_per_page=2', ['a1', 'a2'], ['first', 'next']],
  ['?items_per_page=2&page=2', ['a3', 'a4'], ['first', 'prev', 'next']],
  ['?items_per_page=2&page=3', ['a5'], ['first', 'prev']],
  ['?items_per_page=2&page=4', [], ['first', 'prev']],
  ['?items_per_page=5', ['a1', 'a2', 'a3', 'a4', 'a5'], ['first']],
  ['?page=9007199254740991', [], ['first', 'prev']],
] as const) {
  // spec 4-2, 4-3, 4.4-10, 4.4-12
  test(`GET /api/v1/users${query} is page [${expected.join()}] with links to ${links.join()}`, async (t) => {
    const { service, as } = await startWithUsers(t, ['a1', 'a2', 'a3', 'a4', 'a5']);
    const { headers, json } = await service.expect(200, `GET /api/v1/users${query}`, { as });
    assert.deepEqual(usernamesOf(json), expected);
    assert.equal(headers['count'], String(expected.length));
    assert.deepEqual(
      [...String(headers['link']).matchAll(/rel="(\w+)"/g)].map(([, relation]) => relation), links,
    );
  });
}

// spec 4-3, 8-1, 8-2
test('the headers page and items_per_page give the values in use, by default 1 and 1000', async (t) => {
  const { service, as } = await startWithUsers(t, ['ada']);
  const { headers } = await service.call('GET /api/v1/users', { as });
  assert.equal(headers['page'], '1');
  assert.equal(headers['items_per_page'], '1000');
});

test('the link to the next page keeps the search and works', async (t) => {
  const { service, as } = await startWithUsers(t, ['ann', 'anna', 'bob', 'ännnn']);
  const first = await service.call('GET /api/v1/users?contains=n&items_per_page=1', { as });
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers['link']))?.[1];
  assert.deepEqual(usernamesOf((await service.call(`GET ${next}`, { as })).json), ['anna']);
});

for (const parameter of ['page', 'items_per_page']) {
  for (const value of [
    '0', '-1', '1.0', '1e2', 'x', '', '+1', '0x1', 'Infinity', '1%002', '%C2%B2',
    ...(parameter === 'page' ? ['99999999999999999999'] : []),
  ]) {
    // spec 4-2, 4.4-12
    test(`${parameter}=${value} is 400 and names the parameter`, async (t) => {
      const { service, as } = await startWithUsers(t, ['ada']);
      const { status, json } = await service.call(
        `GET /api/v1/users?${parameter}=${value.replace('+', '%2B')}`, { as },
      );
      assert.equal(status, 400);
      assert.match(json['detail'], new RegExp(`"${parameter}"`));
    });
  }
}

test('one response lists every invalid parameter', async (t) => {
  const { service, as } = await startWithUsers(t, ['ada']);
  const { json } = await service.expect(400, 'GET /api/v1/users?page=0&items_per_page=x&sort=email', { as });
  assert.deepEqual(json['errors'].map(({ parameter }: { parameter: string }) => parameter), [
    'sort', 'page', 'items_per_page',
  ]);
});

for (const [items, used] of [
  ['1', '1'], ['999', '999'], ['1000', '1000'], ['1001', '1000'], ['5000', '1000'], ['9'.repeat(30), '1000'],
] as const) {
  // spec 8-3, 8-5
  test(`items_per_page=${items} is served as ${used}, as the header says`, async (t) => {
    const { service, as } = await startWithUsers(t, ['ada']);
    for (const path of ['/api/v1/users', '/api/v1/projects']) {
      const { status, headers } = await service.call(`GET ${path}?items_per_page=${items}`, { as });
      assert.deepEqual([status, headers['items_per_page']], [200, used]);
      assert.match(String(headers['link']), new RegExp(`items_per_page=${used}>; rel="first"`));
    }
  });
}

for (const [segment, status] of [['+1', 200], ['%2B1', 200], ['-1', 404], ['+0', 404], ['1', 200]] as const) {
  test(`GET /api/v1/users/${segment} reads an id, and is ${status}`, async (t) => {
    const { service, as } = await startWithUsers(t, ['ada']);
    await service.expect(status, `GET /api/v1/users/${segment}`, { as });
  });
}

// spec 2.1-3, 2.1-6, 4.6-4
test('GET /api/v1/users/{username_or_id} returns username, email and projects with owners', async (t) => {
  const { service, as } = await startWithUsers(t, ['ada', 'grace']);
  await service.createProject(as, 'b');
  await service.createProject(as, 'a');
  const { status, json } = await service.call('GET /api/v1/users/ada', { as });
  const owner = { username: 'ada', email: 'ada@example.org' };
  const date_created = '2026-01-01T00:00:00.000Z';
  assert.equal(status, 200);
  assert.deepEqual(json, {
    id: 1, ...owner, date_created, is_admin: false, disabled: false, projects_total: 2,
    projects: [
      { id: 1, name: 'b', description: '', date_created, owner },
      { id: 2, name: 'a', description: '', date_created, owner },
    ],
  });
});

for (const [segment, found] of [
  ['1', 'ada'], ['2', 'grace.h@x'], ['0002', 'grace.h@x'], ['ADA', 'ada'], ['%61da', 'ada'],
  ['grace.h%40x', 'grace.h@x'],
  ['0', undefined], ['3', undefined], ['nobody', undefined], ['-1', undefined], ['1.0', undefined],
  ['9223372036854775808', undefined], ['9'.repeat(300), undefined], ['ada%00', undefined],
  ['%20ada', undefined],
  ['%D9%A1', undefined], ["ada'%20OR%201=1--", undefined],
] as const) {
  // spec 2.1-1, 4.6-3, 4.6-5
  test(`GET /api/v1/users/${segment.slice(0, 30)} finds ${found ?? 'no user: 404'}`, async (t) => {
    const { service, as } = await startWithUsers(t, ['ada', 'grace.h@x']);
    const { status, json } = await service.call(`GET /api/v1/users/${segment}`, { as });
    assert.equal(status, found === undefined ? 404 : 200);
    assert.equal(json['username'], found);
  });
}
