/** Tests rights that are revoked while a request waits for its body or for a password hash. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { openSocket, until } from '../support/open-socket.ts';
import { statusOf } from '../support/raw-http.ts';
import { api, basic, occupyHashes, people, type TestService } from '../support/service.ts';

for (const [title, patch, status] of [
  ['disabled and demoted', { disabled: true, is_admin: false }, 401],
  ['demoted', { is_admin: false }, 403],
] as const) {
  const sentence = `an administrator who is ${title} while the password reset waits changes nothing`;
  people(sentence, async (world) => {
    const { ada, expect, issueToken, root } = world;
    const token = await issueToken(root);
    const mallory = await issueToken(await world.registerAdministrator('mallory'));
    const { release, measures } = occupyHashes(world);
    const reset = expect(status, 'PUT /api/v1/users/ada/password', {
      as: mallory, json: { password: 'mine now' },
    });
    await until(() => measures.waiting === 1);
    await expect(200, 'PATCH /api/v1/users/mallory', { as: root, json: patch });
    release();
    await reset;
    assert.deepEqual(await world.signIn(token, ada, basic('ada', 'mine now')), [200, 200, 401]);
  });
}

for (const [request, body] of [
  ['POST /api/v1/projects', '{"name":"notes"}'], ['GET /api/v1/projects', '{"owner":"ada"}'],
] as const) {
  api(`${request} with a token that is revoked before the body arrives is 401`, async (service, t) => {
    const token = await service.registerWithToken('ada');
    const sendBody = await sendHead(t, service, request, token, body);
    await service.expect(200, 'DELETE /api/v1/token', { as: token });
    assert.equal(await sendBody(), 401);
  });
}

api('one request whose body comes late is one sign-in in the metrics', {
  metrics: 'on',
}, async (service, t) => {
  const token = await service.registerWithToken('ada');
  const sendBody = await sendHead(t, service, 'POST /api/v1/projects', token, '{"name":"notes"}');
  assert.equal(await sendBody(), 201);
  const root = await service.registerAdministrator('root');
  const metrics = await service.call('GET /metrics', { as: root });
  assert.match(metrics.text, /\nrollcall_sign_ins_total\{outcome="token"\} 1\n/);
});

/**
 * Sends a request without its body, and waits until the service asks for the body.
 *
 * @returns A function that sends the body and returns the status.
 */
async function sendHead(
  context: TestContext, service: TestService, request: string, authorization: string, body: string,
) {
  const socket = await openSocket(context, service.port, [
    `${request} HTTP/1.1`, 'Host: x', `Authorization: ${authorization}`, 'Content-Type: application/json',
    `Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close', '\r\n',
  ].join('\r\n'));
  const [interim] = await once(socket, 'data');
  assert.equal(statusOf(String(interim)), 100);
  return async () => {
    socket.write(body);
    return statusOf(await text(socket));
  };
}
