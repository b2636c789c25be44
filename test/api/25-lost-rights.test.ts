/** Tests rights that are revoked while a request waits for its body or for a password hash. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { openSocket } from '../support/open-socket.ts';
import { statusOf } from '../support/raw-http.ts';
import { api, basic, startService, type TestService } from '../support/service.ts';

/** A cost with which each hash takes about 50 ms. Two hashes run at a time, so requests queue. */
const DEAR_SCRYPT = { logN: 14, r: 8, p: 2 };
const QUEUED = 8;

for (const [title, patch, status] of [
  ['disabled and demoted', { disabled: true, is_admin: false }, 401],
  ['demoted', { is_admin: false }, 403],
] as const) {
  test(`an administrator who is ${title} while the password reset waits changes nothing`, async (t) => {
    const service = await startService(t, {}, undefined, DEAR_SCRYPT);
    const root = await service.registerAdministrator('root');
    const token = await service.issueToken(root);
    const mallory = await service.issueToken(await service.registerAdministrator('mallory'));
    const ada = await service.register('ada');
    const queue = fillHashQueue(service);
    const reset = service.expect(status, 'PUT /api/v1/users/ada/password', {
      as: mallory, json: { password: 'mine now' },
    });
    await service.expect(200, 'PATCH /api/v1/users/mallory', { as: root, json: patch });
    await reset;
    await queue;
    assert.deepEqual(await service.signIn(token, ada, basic('ada', 'mine now')), [200, 200, 401]);
  });
}

for (const [request, body] of [
  ['POST /api/v1/projects', '{"name":"notes"}'], ['GET /api/v1/projects', '{"owner":"ada"}'],
] as const) {
  api(`${request} with a token that is revoked before the body arrives is 401`, async (service, t) => {
    const token = await service.registerWithToken('ada');
    const late = await sendHead(t, service, request, token, body);
    await service.expect(200, 'DELETE /api/v1/token', { as: token });
    assert.equal(await late.sendBody(), 401);
  });
}

api('one request whose body comes late is one sign-in in the metrics', {
  metrics: 'on',
}, async (service, t) => {
  const token = await service.registerWithToken('ada');
  const late = await sendHead(t, service, 'POST /api/v1/projects', token, '{"name":"notes"}');
  assert.equal(await late.sendBody(), 201);
  const root = await service.registerAdministrator('root');
  const metrics = await service.call('GET /metrics', { as: root });
  assert.match(metrics.text, /\nrollcall_sign_ins_total\{outcome="token"\} 1\n/);
});

/** Sends a request without its body, and waits until the service asks for the body. */
async function sendHead(
  context: TestContext, service: TestService, request: string, authorization: string, body: string,
) {
  const socket = await openSocket(context, service.port, [
    `${request} HTTP/1.1`, 'Host: x', `Authorization: ${authorization}`, 'Content-Type: application/json',
    `Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close', '\r\n',
  ].join('\r\n'));
  const [interim] = await once(socket, 'data');
  assert.equal(statusOf(String(interim)), 100);
  return {
    /** @returns The status of the response. */
    async sendBody(): Promise<number> {
      socket.write(body);
      return statusOf(await text(socket));
    },
  };
}

async function fillHashQueue(service: TestService): Promise<void> {
  await Promise.all(Array.from({ length: QUEUED }, async (_, index) => {
    const json = { username: `u${index}`, password: 'password', email: 'u@example.org' };
    await service.expect(201, 'POST /api/v1/users', { json });
  }));
}
