import assert from 'node:assert/strict';
import { api, basic } from '../support/service.ts';

api('each request is logged with id, route, status, duration, bytes, address and caller', async (service) => {
  const as = await service.registerWithToken('zoë');
  const { bytes, headers, text } = await service.call('GET /api/v1/users/1?x=1', { as });
  const { time, duration_ms, ...line } = JSON.parse(service.logLines.at(-1) ?? '');
  assert.equal(typeof duration_ms, 'number');
  assert.deepEqual(line, {
    level: 'info', message: 'request', request_id: headers['x-request-id'], method: 'GET',
    route: '/api/v1/users/{username_or_id}', status: 200, bytes: bytes.length, address: '127.0.0.1',
    user_id: 1, sign_in: 'token',
  });
  assert.notEqual(bytes.length, text.length); // the log counts bytes, not characters
});

api.each('{0} is logged with {2} and the number of bytes sent', [
  ['HEAD /', '/', 200], ['OPTIONS /api/v1/users', undefined, 204], ['DELETE /', undefined, 405],
  ['GET /nowhere', undefined, 404],
], async ({ call, logLines }, [line, route, status]) => {
  const { bytes } = await call(line);
  const logged = JSON.parse(logLines.at(-1) ?? '');
  assert.deepEqual([logged.method, logged.route, logged.status], [line.replace(/ .*/, ''), route, status]);
  assert.equal(logged.bytes, bytes.length);
});

api('no password, token or query value reaches the log or an error', async (service) => {
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
