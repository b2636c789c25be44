/** Tokens for programs: their scopes, and the retired member `renewable`. */
import assert from 'node:assert/strict';
import { operations } from '../support/operations.ts';
import { people } from '../support/service.ts';

for (const [id, { method, path, access, scopes }] of Object.entries(operations)) {
  if (access === 'public' || access === 'secret') {
    continue;
  }
  for (const scope of ['full', 'read_only', 'identity'] as const) {
    const isAllowed = scope === 'full'
      || (scope === 'read_only' && (method === 'GET' || id === 'introspectToken'))
      || ['readCaller', 'verifyRequest', 'verifyProject', 'introspectToken'].includes(id);
    people(`the scope ${scope} ${isAllowed ? 'may' : 'may not'} call ${method} ${path}`, async (world) => {
      assert.equal(scopes.includes(scope), isAllowed);
      const as = await world.issueScoped(world.root, scope);
      const answer = await world.call(`${method} ${path.replace(/\{\w+\}/g, '99')}`, { as });
      const isForScope = answer.status === 403 && answer.text.includes('of the scope');
      const isByMethod = id.startsWith('verify') && scope === 'read_only'; // the forwarded method is unknown
      assert.equal(isForScope, !isAllowed || isByMethod, answer.text);
    });
  }
}

people('an identity token tells a proxy the name of its owner, whatever the method', async (world) => {
  const as = await world.issueScoped(world.ada, 'identity');
  for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
    const headers = { 'X-Forwarded-Method': method };
    const answer = await world.expect(204, 'GET /api/v1/verify', { as, headers });
    assert.equal(answer.headers['remote-user'], 'ada');
  }
});

for (const renewable of [true, false, 'yes']) {
  people(`POST /api/v1/tokens ignores "renewable": ${String(renewable)}`, async ({ ada: as, expect }) => {
    const { json } = await expect(201, 'POST /api/v1/tokens', { as, json: { renewable } });
    assert.deepEqual(Object.keys(json), [
      'token', 'id', 'name', 'last_four', 'scope', 'audience', 'date_created', 'expiration_date', 'last_used',
    ]);
    await expect(404, `POST /api/v1/tokens/${json['id']}/renewal`, { as: `Bearer ${json['token']}` });
  });
}
