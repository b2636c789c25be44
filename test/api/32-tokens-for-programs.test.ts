/** Tokens for programs: their scopes, and the retired member `renewable`. */
import assert from 'node:assert/strict';
import { operations } from '../support/operations.ts';
import { api } from '../support/service.ts';

for (const [id, { method, path, access, scopes }] of Object.entries(operations)) {
  if (access === 'public' || access === 'secret') {
    continue;
  }
  for (const scope of ['full', 'read_only', 'identity'] as const) {
    const isAllowed = scope === 'full'
      || (scope === 'read_only' && (method === 'GET' || id === 'introspectToken'))
      || ['readCaller', 'verifyRequest', 'verifyProject', 'introspectToken'].includes(id);
    api(`the scope ${scope} ${isAllowed ? 'may' : 'may not'} call ${method} ${path}`, async (service) => {
      const root = await service.registerAdministrator('root');
      const { json } = await service.call('POST /api/v1/tokens', { as: root, json: { scope } });
      assert.equal(scopes.includes(scope), isAllowed);
      const as = `Bearer ${json['token']}`;
      const line = `${method} ${path.replace(/\{\w+\}/g, '99')}`;
      const answer = await service.call(line, { as });
      const isForScope = answer.status === 403 && answer.text.includes('of the scope');
      const isByMethod = id.startsWith('verify') && scope === 'read_only'; // the forwarded method is unknown
      assert.equal(isForScope, !isAllowed || isByMethod, answer.text);
    });
  }
}

api('an identity token tells a proxy the name of its owner, whatever the method', async (service) => {
  const as = await service.register('ada');
  const { json } = await service.call('POST /api/v1/tokens', { as, json: { scope: 'identity' } });
  for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
    const headers = { 'X-Forwarded-Method': method };
    const answer = await service.call('GET /api/v1/verify', { as: `Bearer ${json['token']}`, headers });
    assert.deepEqual([answer.status, answer.headers['remote-user']], [204, 'ada']);
  }
});

for (const renewable of [true, false, 'yes']) {
  api(`POST /api/v1/tokens ignores "renewable": ${JSON.stringify(renewable)}`, async (service) => {
    const as = await service.registerWithToken('ada');
    const { json } = await service.expect(201, 'POST /api/v1/tokens', { as, json: { renewable } });
    assert.deepEqual(Object.keys(json), [
      'token', 'id', 'name', 'last_four', 'scope', 'audience', 'date_created', 'expiration_date', 'last_used',
    ]);
    const path = `/api/v1/tokens/${json['id']}/renewal`;
    await service.expect(404, `POST ${path}`, { as: `Bearer ${json['token']}` });
  });
}
