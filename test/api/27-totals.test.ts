/** Tests the header fields `Total` and `Total-Relation` of lists, and the filters of the list of users. */
import assert from 'node:assert/strict';
import { basic, shared, startService } from '../support/service.ts';

const ADA = basic('ada', 'ada-password');

/**
 * Defines a test that only reads. Root has two tokens and two projects; ada has one token and one project.
 * Bob and the administrator eve are disabled.
 */
const reads = shared(async (t) => {
  const service = await startService(t);
  const root = await service.registerAdministrator('root');
  await service.register('ada');
  await service.register('bob');
  await service.registerAdministrator('eve');
  for (const username of ['bob', 'eve']) {
    await service.expect(200, `PATCH /api/v1/users/${username}`, { as: root, json: { disabled: true } });
  }
  for (const as of [root, root, ADA]) {
    await service.issueToken(as);
  }
  for (const [name, as] of [['engine', root], ['notes', root], ['poetry', ADA]] as const) {
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
  [0, 'users?contains=nobody', 'projects?owner=eve', 'audit_events?since=2030-01-01T00:00:00Z'],
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

reads.each('GET /api/v1/users?{1} lists {0}', [
  [['root', 'ada', 'bob', 'eve'], '', 'role=&state='],
  [['root', 'eve'], 'role=administrator'],
  [['eve', 'root'], 'role=administrator&sort=username'],
  [['ada', 'bob'], 'role=user'],
  [['root', 'ada'], 'state=enabled'],
  [['bob', 'eve'], 'state=disabled'],
  [['eve', 'bob'], 'state=disabled&sort=-id'],
  [
    ['eve'], 'role=administrator&state=disabled', 'state=disabled&starts_with=e',
    'role=administrator&items_per_page=1&page=2',
  ],
  [['root'], 'role=administrator&state=enabled'],
  [['bob'], 'role=user&state=disabled'],
  [['ada'], 'role=user&state=enabled', 'role=user&contains=A'],
  [[], 'role=administrator&page=2'],
], async ({ namesIn, root }, [expected, ...queries]) => {
  for (const query of queries) {
    assert.deepEqual(await namesIn(`users?${query}`, root), expected);
  }
});

reads.each('GET /api/v1/users?{1} is 400 and says: {0}', [
  ['"administrator", "user"', 'role=root', 'role=Administrator', 'role=%00'],
  ['repeated', 'role=user&role=user', 'state=enabled&state=disabled'],
  ['"enabled", "disabled", "invited"', 'state=on', `state=${'x'.repeat(2000)}`],
], async ({ expect }, [message, ...queries]) => {
  for (const query of queries) {
    const { json } = await expect(400, `GET /api/v1/users?${query}`, { as: ADA });
    assert.ok(json['errors'][0].message.includes(message), json['errors'][0].message);
    assert.ok(json['detail'].length < 300);
  }
});

reads('the list shows which users are disabled, and its links keep the search', async (service) => {
  const line = 'GET /api/v1/users?contains=b&role=user&state=disabled&items_per_page=1';
  const { headers, json: { users } } = await service.call(line, { as: ADA });
  assert.deepEqual([users.length, users[0].disabled], [1, true]);
  assert.equal(
    headers['link'],
    '</api/v1/users?page=1&items_per_page=1&contains=b&role=user&state=disabled>; rel="first"',
  );
});
