/** Tokens for programs: the scope `identity`, and tokens that renew themselves. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { operations } from '../support/operations.ts';
import { startService, type TestService } from '../support/service.ts';

const LIFETIME_SECONDS = 3_600;

async function start(t: TestContext, member: object = { renewable: true }) {
  const service = await startService(t);
  const root = await service.registerAdministrator('root');
  const ada = await service.register('ada');
  const body = { name: 'backup', scope: 'read_only', expiration: LIFETIME_SECONDS, ...member };
  const { status, json, text } = await service.call('POST /api/v1/tokens', { as: ada, json: body });
  assert.equal(status, 201, text);
  return { service, root, ada, token: { id: Number(json['id']), as: `Bearer ${json['token']}` } };
}

interface Renewable {
  readonly id: number;
  readonly as: string;
}

async function renew(service: TestService, { id, as }: Renewable) {
  const answer = await service.call(`POST /api/v1/tokens/${id}/renewal`, { as });
  return { ...answer, next: { id: Number(answer.json['id']), as: `Bearer ${answer.json['token']}` } };
}

async function isValid(service: TestService, as: string): Promise<boolean> {
  return (await service.call('GET /api/v1/user', { as })).status === 200;
}

for (const [id, { method, path, access, scopes }] of Object.entries(operations)) {
  if (access === 'public' || typeof access === 'object') {
    continue;
  }
  for (const scope of ['full', 'read_only', 'identity'] as const) {
    const isAllowed = scope === 'full'
      || (scope === 'read_only' && (method === 'GET' || ['introspectToken', 'renewToken'].includes(id)))
      || ['readCaller', 'verifyRequest', 'introspectToken', 'renewToken'].includes(id);
    test(`the scope ${scope} ${isAllowed ? 'may' : 'may not'} call ${method} ${path}`, async (t) => {
      const { service, root } = await start(t);
      const { json } = await service.call('POST /api/v1/tokens', { as: root, json: { scope } });
      assert.equal(scopes.includes(scope), isAllowed);
      const as = `Bearer ${json['token']}`;
      const line = `${method} ${path.replace(/\{\w+\}/g, '99')}`;
      const answer = await service.call(line, { as });
      const isForScope = answer.status === 403 && answer.text.includes('of the scope');
      const isByMethod = id === 'verifyRequest' && scope === 'read_only'; // the forwarded method is unknown
      assert.equal(isForScope, !isAllowed || isByMethod, answer.text);
    });
  }
}

test('a renewal gives the full lifetime, name and scope, and ends the old token', async (t) => {
  const { service, token } = await start(t);
  service.clock.nowMs += 1_800_000;
  const { status, json, headers, next } = await renew(service, token);
  assert.equal(status, 201);
  assert.deepEqual([json['name'], json['scope'], json['expiration_date'], headers['location']], [
    'backup', 'read_only', '2026-01-01T01:30:00.000', `/api/v1/tokens/${next.id}`,
  ]);
  assert.deepEqual([await isValid(service, token.as), await isValid(service, next.as)], [false, true]);
});

test('members of the request to renew are ignored', async (t) => {
  const { service, token } = await start(t);
  const { json } = await service.call(`POST /api/v1/tokens/${token.id}/renewal`, {
    as: token.as, json: { scope: 'full', expiration: 1, name: 'other', renewable: false },
  });
  assert.deepEqual([json['scope'], json['name']], ['read_only', 'backup']);
  assert.equal((await renew(service, { id: json['id'], as: `Bearer ${json['token']}` })).status, 201);
});

test('a token renews itself 300 times without the password', async (t) => {
  const { service, token } = await start(t);
  let current: Renewable = token;
  for (let count = 0; count < 300; count += 1) {
    service.clock.nowMs += LIFETIME_SECONDS * 1_000 - 1;
    const { status, next } = await renew(service, current);
    assert.equal(status, 201);
    current = next;
  }
  assert.ok(await isValid(service, current.as));
});

test('a second renewal ends every token that came from the old one, and the trail says so', async (t) => {
  const { service, root, token } = await start(t);
  const { next } = await renew(service, token);
  const { next: last } = await renew(service, next);
  const again = await service.call(`POST /api/v1/tokens/${token.id}/renewal`, { as: token.as });
  assert.equal(again.status, 401);
  assert.equal(await isValid(service, last.as), false);
  const { json } = await service.call('GET /api/v1/audit_events?sort=-id', { as: root });
  const [event] = json['audit_events'];
  assert.deepEqual(
    [event.action, event.resource.id, event.details],
    ['token.revoke', token.id, 'renewed again after its end'],
  );
});

test('of concurrent renewals with one token one succeeds, and then every token ends', async (t) => {
  const { service, token } = await start(t);
  const answers = await Promise.all([1, 2, 3].map(() => renew(service, token)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401, 401]);
  const [renewed] = answers.filter(({ status }) => status === 201);
  assert.equal(await isValid(service, renewed?.next.as ?? ''), false);
});

test('a second renewal leaves other tokens of the user alone', async (t) => {
  const { service, ada, token } = await start(t);
  const other = await service.issueToken(ada);
  await renew(service, token);
  await service.call(`POST /api/v1/tokens/${token.id}/renewal`, { as: token.as });
  assert.ok(await isValid(service, other));
});

test('an old token on any other route ends nothing', async (t) => {
  const { service, token } = await start(t);
  const { next } = await renew(service, token);
  assert.equal(await isValid(service, token.as), false);
  assert.ok(await isValid(service, next.as));
});

test('a revoked token that was never renewed is 401 and ends nothing', async (t) => {
  const { service, ada, token } = await start(t);
  const other = await service.issueToken(ada);
  await service.call(`DELETE /api/v1/tokens/${token.id}`, { as: ada });
  assert.equal((await service.call(`POST /api/v1/tokens/${token.id}/renewal`, { as: token.as })).status, 401);
  assert.ok(await isValid(service, other));
});

test('a renewal revokes the tokens that the old token issued', async (t) => {
  const { service, token } = await start(t, { renewable: true, scope: 'full' });
  const child = await service.issueToken(token.as);
  const { next } = await renew(service, token);
  assert.deepEqual([await isValid(service, child), await isValid(service, next.as)], [false, true]);
});

test('tokens are not renewable by default, and a token makes no renewable one', async (t) => {
  const { service, ada, token } = await start(t, {});
  assert.equal((await service.call(`POST /api/v1/tokens/${token.id}/renewal`, { as: token.as })).status, 403);
  const full = await service.issueToken(ada);
  const { status, json } = await service.call('POST /api/v1/tokens', { as: full, json: { renewable: true } });
  assert.deepEqual([status, json['type']], [403, '/static/problems.html#password-needed']);
  const plain = await service.call('POST /api/v1/tokens', { as: full, json: { renewable: false } });
  assert.equal(plain.status, 201);
});

test('only the token itself renews itself: no password, no other token, no administrator', async (t) => {
  const { service, root, ada, token } = await start(t);
  const path = `POST /api/v1/tokens/${token.id}/renewal`;
  const { json } = await service.call('POST /api/v1/tokens', { as: ada, json: { renewable: true } });
  for (const [as, expected] of [
    [undefined, 401], [ada, 403], [root, 403], [await service.issueToken(ada), 403],
    [`Bearer ${json['token']}`, 404],
  ] as const) {
    assert.equal((await service.call(path, { as })).status, expected);
  }
  assert.ok(await isValid(service, token.as));
});

test('an expired token is not renewed, nor one whose user has a new password', async (t) => {
  const { service, ada, token } = await start(t);
  const passwords = { current_password: 'ada-password', password: 'another phrase' };
  await service.call('PUT /api/v1/users/ada/password', { as: ada, json: passwords });
  assert.equal((await service.call(`POST /api/v1/tokens/${token.id}/renewal`, { as: token.as })).status, 401);
  const late = await start(t);
  late.service.clock.nowMs += LIFETIME_SECONDS * 1_000;
  const line = `POST /api/v1/tokens/${late.token.id}/renewal`;
  assert.equal((await late.service.call(line, { as: late.token.as })).status, 401);
});

test('a renewable identity token tells who its owner is, renewed or not', async (t) => {
  const { service, token } = await start(t, { renewable: true, scope: 'identity' });
  const { next } = await renew(service, token);
  assert.equal((await service.call('GET /api/v1/verify', { as: next.as })).headers['remote-user'], 'ada');
  for (const method of ['POST', 'DELETE', 'PATCH']) {
    const headers = { 'X-Forwarded-Method': method };
    assert.equal((await service.call('GET /api/v1/verify', { as: next.as, headers })).status, 204);
  }
});
