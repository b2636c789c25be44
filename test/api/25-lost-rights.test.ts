/** Rights that are revoked while a request waits for a password hash. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, startService, type TestService } from '../support/service.ts';

/** Each hash takes about 50 ms and two run at a time, so requests queue. */
const DEAR_SCRYPT = { logN: 14, r: 8, p: 2 };
const QUEUED = 8;

for (const [title, patch, status] of [
  ['disabled and demoted', { disabled: true, is_admin: false }, 401],
  ['demoted', { is_admin: false }, 403],
] as const) {
  test(`an administrator who is ${title} while the password reset waits changes nothing`, async (t) => {
    const service = await startService(t, {}, undefined, DEAR_SCRYPT);
    const root = await service.issueToken(await service.registerAdministrator('root'));
    const mallory = await service.issueToken(await service.registerAdministrator('mallory'));
    await service.register('ada');
    const queue = fillHashQueue(service);
    const reset = service.call(
      'PUT /api/v1/users/ada/password', { as: mallory, json: { password: 'mine now' } },
    );
    const change = await service.call('PATCH /api/v1/users/mallory', { as: root, json: patch });
    assert.equal(change.status, 200);
    assert.equal((await reset).status, status);
    await queue;
    assert.equal((await service.call('GET /api/v1/user', { as: root })).status, 200); // tokens still work
    assert.equal(
      (await service.call('GET /api/v1/user', { as: basic('ada', 'ada-password') })).status, 200,
    );
    assert.equal((await service.call('GET /api/v1/user', { as: basic('ada', 'mine now') })).status, 401);
  });
}

async function fillHashQueue(service: TestService): Promise<void> {
  await Promise.all(Array.from({ length: QUEUED }, async (_, index) => {
    const json = { username: `u${index}`, password: 'password', email: 'u@example.org' };
    assert.equal((await service.call('POST /api/v1/users', { json })).status, 201);
  }));
}
