/** Tests the service without any extra: no description of the API, no metrics, no cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCore } from '../support/core.ts';

test('The core alone serves users, projects and tokens, but neither a description nor metrics', async (t) => {
  const service = await startCore(t, { overrides: { metrics: 'on' } });
  const as = await service.registerWithToken('ada');
  await service.createProject(as, 'notes');
  assert.deepEqual(await service.namesIn('projects?owner=ada', as), ['notes']);
  await service.expect(200, 'DELETE /api/v1/token', { as });
  await service.expect(401, 'GET /api/v1/projects', { as });
  for (const path of ['/api/v1/openapi.json', '/static/openapi.json', '/metrics']) {
    await service.expect(404, `GET ${path}`);
  }
});
