/** Tests the service without any extra: no description of the API, no metrics, no cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCore } from '../support/core.ts';

test('The core alone registers a user, issues a token, stores a project and revokes the token', async (t) => {
  const service = await startCore(t);
  const token = await service.issueToken(await service.register('ada'));
  await service.expect(201, 'POST /api/v1/projects', { as: token, json: { name: 'notes' } });
  const { json, headers } = await service.call('GET /api/v1/projects', { as: token });
  assert.deepEqual(
    json['projects'].map(({ name, owner }: Record<string, any>) => [name, owner.username]),
    [['notes', 'ada']],
  );
  assert.equal(headers['count'], '1');
  await service.expect(200, 'DELETE /api/v1/token', { as: token });
  await service.expect(401, 'GET /api/v1/projects', { as: token });
});

for (const path of ['/api/v1/openapi.json', '/static/openapi.json', '/metrics']) {
  test(`The core alone has no ${path}: 404`, async (t) => {
    const service = await startCore(t, { overrides: { metrics: 'on' } });
    await service.expect(404, `GET ${path}`);
  });
}
