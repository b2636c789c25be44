import assert from 'node:assert/strict';
import { inTurn, people, times } from '../support/service.ts';

const CREATE = 'POST /api/v1/projects';

people('after 4 of 4 changes, a change is 429 until one is regained; all else goes on', async (world) => {
  const { ada, call, clock, eve: as, expect, root } = world;
  await expect(201, 'POST /api/v1/tokens', { as, json: {} });
  await expect(201, CREATE, { as, json: { name: 'engine' } });
  await expect(200, 'PATCH /api/v1/projects/engine', { as, json: { description: 'x' } });
  await expect(200, 'DELETE /api/v1/projects/engine', { as });
  const refused = await expect('429 too-many-changes', CREATE, { as, json: { name: 'engine' } });
  assert.equal(refused.headers['retry-after'], '900');
  for (const line of ['PATCH /api/v1/users/eve', 'POST /api/v1/tokens']) {
    await expect(429, line, { as, json: {} });
  }
  await expect(200, 'GET /api/v1/user', { as });
  await expect(201, CREATE, { as: ada, json: { name: 'loom' } });
  const create = (index: number) => call(CREATE, { as: root, json: { name: `p${index}` } });
  assert.deepEqual(await inTurn(20, create), times(20, 201));
  clock.nowMs += 900_000;
  await expect(201, 'POST /api/v1/tokens', { as, json: {} });
}, { changesPerUserMax: 4 });

people.each('after a thief has spent the budget, the owner can still use the console and {0}', [
  ['revoke the token', 'DELETE /api/v1/token'],
  ['revoke all tokens', 'DELETE /api/v1/tokens'],
  ['revoke a token by its id', 'DELETE /api/v1/tokens/1'],
  ['replace the password', 'PUT /api/v1/users/eve/password',
    { password: 'a new one', current_password: 'eve-password' }],
], async ({ call, eve, expect, issueToken, signIn }, [, line, json]) => {
  const as = await issueToken(eve);
  assert.deepEqual(await inTurn(2, () => call(CREATE, { as, json: { name: 'x' } })), [201, 429]);
  await expect(201, 'POST /api/v1/tokens', { as: eve, json: {} }); // the console signs in with this request
  await expect(200, line, { as: eve, json });
  assert.deepEqual(await signIn(as), [401]);
}, { changesPerUserMax: 3 });

people('tokens of a narrow scope spend nothing of the budget', async ({ call, eve, root, ...world }) => {
  const create = (as: string) => (index: number) => call(CREATE, { as, json: { name: `p${index}` } });
  assert.deepEqual(await inTurn(5, create(await world.issueScoped(eve, 'identity'))), times(5, 403));
  await world.expect(200, 'PUT /api/v1/users/eve/password', {
    as: await world.makeLink(root, 'eve'), json: { password: 'eve-password' },
  });
  assert.deepEqual(await inTurn(3, create(eve)), [201, 201, 429]);
}, { changesPerUserMax: 3 });

people.each('{0} {1} as a change', [
  ['a body that is not JSON', 'does not count', CREATE, { body: '{' }],
  ['a body with an invalid value', 'does not count', CREATE, { json: { name: 1 } }],
  ['a method that the path lacks', 'does not count', 'PUT /api/v1/projects', {}],
  ['a read', 'does not count', 'GET /api/v1/projects', {}],
  ['an introspection', 'does not count', 'POST /api/v1/introspect', { form: 'token=x' }],
  ['a wrong sign-in', 'does not count', 'POST /api/v1/token', { as: 'Basic eDp5' }],
  ['a taken name', 'counts', CREATE, { json: { name: 'taken' } }],
  ['an unknown project', 'counts', 'DELETE /api/v1/projects/unknown', {}],
], async ({ call, createProject, eve: as, expect }, [, counts, line, options]) => {
  await createProject(as, 'taken');
  await inTurn(3, () => call(line, { as, ...options }));
  await expect(counts === 'counts' ? 429 : 201, CREATE, { as, json: { name: 'next' } });
}, { changesPerUserMax: 2 });
