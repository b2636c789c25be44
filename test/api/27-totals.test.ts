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

for (const [path, total] of [
  ['users', '4'], ['users?items_per_page=3', '4'], ['users?items_per_page=3&page=2', '4'],
  ['users?items_per_page=3&page=3', '4'], ['users?items_per_page=1&sort=-username', '4'],
  ['users?contains=o&items_per_page=1', '2'], ['users?contains=o&items_per_page=1&page=9', '2'],
  ['users?contains=nobody', '0'], ['users?role=user&items_per_page=1', '2'],
  ['users?state=disabled&items_per_page=1&page=2', '2'],
  ['users?contains=e&state=disabled&items_per_page=1', '1'],
  ['projects?items_per_page=2', '3'], ['projects?owner=root&items_per_page=1', '2'],
  ['projects?owner=eve', '0'], ['projects?contains=n&items_per_page=1', '2'],
  ['tokens?items_per_page=1', '2'], ['tokens?items_per_page=1&page=3', '2'],
  ['tokens?username=ada', '1'], ['tokens?all_users=true&items_per_page=2', '3'],
  ['audit_events?items_per_page=1', '12'], ['audit_events?items_per_page=5&page=9&sort=-id', '12'],
  ['audit_events?action=token.create&items_per_page=1', '3'],
  ['audit_events?username=bob&items_per_page=1', '2'],
  ['audit_events?username=root&action=token.create&since=2026-01-01T00:00:00Z&items_per_page=1', '2'],
  ['audit_events?since=2030-01-01T00:00:00Z', '0'],
] as const) {
  reads(`GET and HEAD /api/v1/${path} report exactly ${total} items on all pages`, async (service) => {
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await service.expect(200, `${method} /api/v1/${path}`, { as: service.root });
      assert.deepEqual([headers['total'], headers['total-relation']], [total, 'exact']);
    }
  });
}

for (const [query, expected] of [
  ['', ['root', 'ada', 'bob', 'eve']],
  ['?role=administrator', ['root', 'eve']],
  ['?role=user', ['ada', 'bob']],
  ['?state=enabled', ['root', 'ada']],
  ['?state=disabled', ['bob', 'eve']],
  ['?role=administrator&state=disabled', ['eve']],
  ['?role=administrator&state=enabled', ['root']],
  ['?role=user&state=disabled', ['bob']],
  ['?role=user&state=enabled', ['ada']],
  ['?role=&state=', ['root', 'ada', 'bob', 'eve']],
  ['?role=administrator&sort=username', ['eve', 'root']],
  ['?state=disabled&sort=-id', ['eve', 'bob']],
  ['?role=user&contains=A', ['ada']],
  ['?state=disabled&starts_with=e', ['eve']],
  ['?role=administrator&items_per_page=1&page=2', ['eve']],
  ['?role=administrator&page=2', []],
] as const) {
  reads(`GET /api/v1/users${query} lists ${expected.join() || 'nobody'}`, async ({ namesIn, root }) => {
    assert.deepEqual(await namesIn(`users${query}`, root), expected);
  });
}

for (const [query, message] of [
  ['role=root', '"administrator", "user"'], ['role=Administrator', '"administrator", "user"'],
  ['role=user&role=user', 'repeated'], ['state=on', '"enabled", "disabled", "invited"'],
  ['state=enabled&state=disabled', 'repeated'], [`state=${'x'.repeat(2000)}`, '"enabled", "disabled"'],
  ['role=%00', '"administrator", "user"'],
] as const) {
  reads(`GET /api/v1/users?${query.slice(0, 40)} is 400 and says: ${message}`, async ({ expect }) => {
    const { json } = await expect(400, `GET /api/v1/users?${query}`, { as: ADA });
    assert.ok(json['errors'][0].message.includes(message), json['errors'][0].message);
    assert.ok(json['detail'].length < 300);
  });
}

reads('the list shows which users are disabled, and its links keep role and state', async (service) => {
  const line = 'GET /api/v1/users?role=user&state=disabled&items_per_page=1';
  const { headers, json: { users } } = await service.call(line, { as: ADA });
  assert.deepEqual([users.length, users[0].disabled], [1, true]);
  assert.equal(
    headers['link'], '</api/v1/users?page=1&items_per_page=1&role=user&state=disabled>; rel="first"',
  );
});
