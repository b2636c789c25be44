/** Tests `GET /api/v1/user`, which returns the account of the caller. */
import assert from 'node:assert/strict';
import { api } from '../support/service.ts';

const date_created = '2026-01-01T00:00:00.000Z';

// spec 5-4
api('GET /api/v1/user with a password returns the account of the caller, not of a user "user"', async ({
  createProject, expect, register,
}) => {
  const as = await register('ada');
  await createProject(as, 'engine');
  const { json } = await expect(200, 'GET /api/v1/user', { as });
  const record = (await expect(200, 'GET /api/v1/users/1', { as })).json;
  assert.deepEqual([record['username'], record['projects_total']], ['ada', 1]);
  assert.deepEqual(json, { ...record, role: 'user', sign_in: 'password', token: null });
  await register('user');
  assert.equal((await expect(200, 'GET /api/v1/user', { as })).json['username'], 'ada');
  assert.equal((await expect(200, 'GET /api/v1/users/user', { as })).json['username'], 'user');
});

// spec 4.2-6
api('GET /api/v1/user with a token returns the role of the caller and the token in use', async (service) => {
  const as = await service.issueToken(await service.registerAdministrator('root'));
  const { json } = await service.call('GET /api/v1/user', { as });
  assert.deepEqual([json['role'], json['is_admin'], json['sign_in']], ['administrator', true, 'token']);
  assert.deepEqual(json['token'], {
    id: 1, name: '', last_four: as.slice(-4), scope: 'full', audience: null,
    date_created, expiration_date: '2026-01-01T00:10:00.000', last_used: date_created,
  });
});

api('an identity token is shown who its owner is, no projects', { directory: 'closed' }, async (service) => {
  const as = await service.register('ada');
  await service.createProject(as, 'engine');
  const identity = await service.issueScoped(as, 'identity');
  const { json, text, headers } = await service.expect(200, 'GET /api/v1/user', { as: identity });
  const { token, ...account } = json;
  assert.deepEqual(account, {
    id: 1, username: 'ada', email: 'ada@example.org', date_created, is_admin: false, disabled: false,
    role: 'user', sign_in: 'token',
  });
  assert.equal(token.scope, 'identity');
  assert.doesNotMatch(`${text}${headers['link']}`, /engine|projects/);
  for (const scope of ['read_only', 'full']) {
    const other = await service.issueScoped(as, scope);
    const { json: whole } = await service.expect(200, 'GET /api/v1/user', { as: other });
    assert.deepEqual([whole['projects_total'], whole['projects'][0].name], [1, 'engine']);
  }
});
