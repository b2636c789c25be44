import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { openSocket, statusOf } from '../support/raw-http.ts';
import { basic, occupyHashes, people, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

people.each('an administrator who is {0} while the password reset waits changes nothing', [
  ['disabled and demoted', { disabled: true, is_admin: false }, 401],
  ['demoted', { is_admin: false }, 403],
], async (world, [, patch, status]) => {
  const { ada, expect, issueToken, root } = world;
  const token = await issueToken(root);
  const as = await issueToken(await world.registerAdministrator('mallory'));
  const { release, measures } = occupyHashes(world);
  const reset = expect(status, 'PUT /api/v1/users/ada/password', { as, json: { password: 'mine now' } });
  await until(() => measures.waiting === 1);
  await expect(200, 'PATCH /api/v1/users/mallory', { as: root, json: patch });
  release();
  await reset;
  assert.deepEqual(await world.signIn(token, ada, basic('ada', 'mine now')), [200, 200, 401]);
});

people.each('{0}, whose body arrives after {2} ended the sign-in, is 401', [
  ['POST /api/v1/projects', { name: 'notes' }, 'DELETE /api/v1/token?username=mallory'],
  ['GET /api/v1/projects', { owner: 'ada' }, 'DELETE /api/v1/token?username=mallory'],
  ['PATCH /api/v1/users/mallory', { is_admin: true, disabled: false }, 'PATCH /api/v1/users/mallory',
    { is_admin: false, disabled: true }],
], async (world, [request, body, revocation, json], t) => {
  const { expect, root: as } = world;
  const mallory = await world.issueToken(await world.registerAdministrator('mallory'));
  const sendBody = await sendHead(t, world, request, mallory, body);
  await expect(200, revocation, { as, json });
  assert.equal(await sendBody(), 401);
  const { is_admin, disabled } = (await expect(200, 'GET /api/v1/users/mallory', { as })).json;
  assert.deepEqual({ is_admin, disabled }, json ?? { is_admin: true, disabled: false });
});

people('one request whose body comes late is one sign-in in the metrics', async (world, t) => {
  const token = await world.issueToken(world.ada);
  const sendBody = await sendHead(t, world, 'POST /api/v1/projects', token, { name: 'notes' });
  assert.equal(await sendBody(), 201);
  const metrics = await world.call('GET /metrics');
  assert.match(metrics.text, /\nrollcall_sign_ins_total\{outcome="token"\} 1\n/);
}, { metrics: 'on' });

async function sendHead(
  context: TestContext, service: TestService, request: string, authorization: string, json: object,
) {
  const body = JSON.stringify(json);
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
