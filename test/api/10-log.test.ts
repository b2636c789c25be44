/** What the service says about itself to its operator: enough, and never a secret. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, startService } from '../support/service.ts';

test('each request is one line with its id, route, status, duration, address and caller', async (t) => {
  const service = await startService(t);
  const as = await service.registerWithToken('ada');
  const { headers } = await service.call('GET /api/v1/users/ada?x=1', { as });
  const { time, duration_ms, ...line } = JSON.parse(service.logLines.at(-1) ?? '');
  assert.equal(typeof duration_ms, 'number');
  assert.deepEqual(line, {
    level: 'info', message: 'request', request_id: headers['x-request-id'], method: 'GET',
    route: '/api/v1/users/{username_or_id}', status: 200, address: '127.0.0.1', user_id: 1, sign_in: 'token',
  });
});

test('no password, token or query value reaches the log or an error', async (t) => {
  const service = await startService(t);
  const token = (await service.registerWithToken('ada')).slice('Bearer '.length);
  const secret = 'correct-horse-battery';
  const answers = [
    await service.call('GET /api/v1/users', { as: basic('ada', secret) }),
    await service.call(`GET /api/v1/users?token=${token}&page=${secret}`, { as: `Bearer ${token}` }),
    await service.call('POST /api/v1/users', { body: `{"password":"${secret}"` }),
    await service.call('POST /api/v1/users', { json: { username: 'a b', password: secret, email: secret } }),
    await service.call('POST /api/v1/users', { json: { username: 'x', password: [secret], email: secret } }),
    await service.call(`GET /nowhere/${secret}`),
  ];
  const said = service.logLines.join('') + answers.map(({ text }) => text).join('');
  assert.ok(!said.includes(secret));
  assert.ok(!said.includes(token));
});
