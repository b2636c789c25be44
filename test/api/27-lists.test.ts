/** 31-searches.test.ts tests long lists. */
import assert from 'node:assert/strict';
import { basic, shared, startService } from '../support/service.ts';

const ADA = basic('ada', 'ada-password');

/** Bob and the administrator éve are disabled. */
const reads = shared(async (t) => {
  const service = await startService(t);
  const root = await service.registerAdministrator('root');
  await service.register('ada');
  await service.register('Bob');
  await service.registerAdministrator('éve');
  for (const id of [3, 4]) {
    await service.expect(200, `PATCH /api/v1/users/${id}`, { as: root, json: { disabled: true } });
  }
  for (const as of [root, root, ADA]) {
    await service.issueToken(as);
  }
  for (const [name, as] of [['Notes', root], ['engine', root], ['älg', ADA]] as const) {
    await service.createProject(as, name);
  }
  return { ...service, root };
});

reads.each('GET and HEAD /api/v1/{1} report exactly {0} items on all pages', [
  [
    4, 'users', 'users?items_per_page=3', 'users?items_per_page=3&page=2', 'users?items_per_page=3&page=3',
    'users?items_per_page=1&sort=-username',
  ],
  [
    2, 'users?contains=o&items_per_page=1', 'users?contains=o&items_per_page=1&page=9',
    'users?role=user&items_per_page=1', 'users?state=disabled&items_per_page=1&page=2',
  ],
  [1, 'users?contains=e&state=disabled&items_per_page=1', 'tokens?username=ada'],
  [0, 'users?contains=nobody', 'projects?owner=%C3%A9ve', 'audit_events?since=2030-01-01T00:00:00Z'],
  [3, 'projects?items_per_page=2', 'tokens?all_users=true&items_per_page=2'],
  [2, 'projects?owner=root&items_per_page=1', 'projects?contains=n&items_per_page=1'],
  [2, 'tokens?items_per_page=1', 'tokens?items_per_page=1&page=3'],
  [12, 'audit_events?items_per_page=1', 'audit_events?items_per_page=5&page=9&sort=-id'],
  [3, 'audit_events?action=token.create&items_per_page=1'],
  [
    2, 'audit_events?username=bob&items_per_page=1',
    'audit_events?username=root&action=token.create&since=2026-01-01T00:00:00Z&items_per_page=1',
  ],
], async ({ expect, root: as }, [total, ...paths]) => {
  for (const line of paths.flatMap((path) => [`GET /api/v1/${path}`, `HEAD /api/v1/${path}`])) {
    const { headers } = await expect(200, line, { as });
    assert.deepEqual([headers['total'], headers['total-relation']], [String(total), 'exact'], line);
  }
});

reads.each('GET /api/v1/{0}?{2} lists {1}', [
  ['users', ['root', 'ada', 'Bob', 'éve'], '', 'role=&state=', 'sort=', 'sort=id', 'sort=date_created'],
  ['users', ['éve', 'Bob', 'ada', 'root'], 'sort=-id', 'sort=-date_created'],
  ['users', ['ada', 'Bob', 'root', 'éve'], 'sort=username'],
  ['users', ['éve', 'root', 'Bob', 'ada'], 'sort=-username'],
  ['users', ['root', 'éve'], 'role=administrator', 'role=administrator&sort=username'],
  ['users', ['ada', 'Bob'], 'role=user'],
  ['users', ['root', 'ada'], 'state=enabled'],
  ['users', ['Bob', 'éve'], 'state=disabled'],
  ['users', ['éve', 'Bob'], 'state=disabled&sort=-id'],
  ['users', ['éve'], 'role=administrator&state=disabled', 'state=disabled&starts_with=%C3%89',
    'role=administrator&items_per_page=1&page=2'],
  ['users', ['root'], 'role=administrator&state=enabled'],
  ['users', ['Bob'], 'role=user&state=disabled'],
  ['users', ['ada'], 'role=user&state=enabled', 'role=user&contains=A'],
  ['users', [], 'role=administrator&page=2'],
  ['projects', ['Notes', 'engine', 'älg'], '', 'sort='],
  ['projects', ['älg', 'engine', 'Notes'], 'sort=-date_created'],
], async ({ namesIn, root }, [list, expected, ...queries]) => {
  for (const query of queries) {
    assert.deepEqual(await namesIn(`${list}?${query}`, root), expected);
  }
});

reads.each('GET /api/v1/{0}?{2} is 400 and says: {1}', [
  ['users', '"id", "-id", "username"', ...[
    'name', 'email', 'ID', '--id', '%2Bid', 'id,username', 'password_hash', '-',
  ].map((sort) => `sort=${sort}`)],
  ['projects', '"id", "-id", "name"', 'sort=username', 'sort=owner'],
  ['users', '"administrator", "user"', 'role=root', 'role=Administrator', 'role=%00'],
  ['users', 'repeated', 'role=user&role=user', 'state=enabled&state=disabled', 'sort=id&sort=id'],
  ['users', '"enabled", "disabled", "invited"', 'state=on', `state=${'x'.repeat(2000)}`],
], async ({ expect }, [list, message, ...queries]) => {
  for (const query of queries) {
    const { json } = await expect(400, `GET /api/v1/${list}?${query}`, { as: ADA });
    assert.ok(json['errors'][0].message.includes(message), json['errors'][0].message);
    assert.ok(json['detail'].length < 300);
  }
});

reads.each('the link of {0} to the next page keeps search, filters and order, and works', [
  ['users?contains=o', 'root', 'Bob'], ['users?role=administrator&sort=username', 'root', 'éve'],
  ['users?state=disabled&sort=username', 'Bob', 'éve'], ['projects?owner=root&sort=-name', 'Notes', 'engine'],
], async ({ expect, namesIn }, [query, first, second]) => {
  const line = `${query}&items_per_page=1`;
  assert.deepEqual(await namesIn(line, ADA), [first]);
  const { headers } = await expect(200, `GET /api/v1/${line}`, { as: ADA });
  const next = /<\/api\/v1\/([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1];
  assert.deepEqual(await namesIn(String(next), ADA), [second]);
});
