/** Tests `POST /api/v1/introspect`. samples.test.ts tests the programs of the guide. */
import assert from 'node:assert/strict';
import { createToken } from '../../../src/model/token.ts';
import { api, type TestService } from '../../support/service.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

function introspect(
  service: TestService, as: string | undefined, token: string, headers: Record<string, string> = FORM,
) {
  return service.call('POST /api/v1/introspect', {
    as, body: new URLSearchParams({ token }).toString(), headers,
  });
}

const plain = (token: string) => token.replace('Bearer ', '');

api('introspection of a valid token says whose it is, and until when', async (service) => {
  const eve = await service.register('eve');
  const token = await service.issueToken(await service.register('ada'), '?expiration=60');
  const { status, headers, json } = await introspect(service, eve, plain(token));
  assert.deepEqual([status, headers['cache-control']], [200, 'no-store']);
  const iat = Date.parse('2026-01-01T00:00:00.000Z') / 1_000;
  assert.deepEqual(json, {
    active: true, sub: '2', username: 'ada', email: 'ada@example.org', scope: 'full', token_type: 'Bearer',
    exp: iat + 60, iat,
  });
});

api('an unknown, expired or revoked token and one of a disabled user are only inactive', async (service) => {
  const as = await service.register('eve');
  const root = await service.registerAdministrator('root');
  const ada = await service.register('ada');
  const [expired, revoked, disabled] = [
    await service.issueToken(ada, '?expiration=1'), await service.issueToken(ada),
    await service.registerWithToken('bob'),
  ];
  service.clock.nowMs += 1_000;
  await service.call('DELETE /api/v1/token', { as: revoked });
  await service.call('PATCH /api/v1/users/bob', { as: root, json: { disabled: true } });
  for (const token of [expired, revoked, disabled, createToken().text, 'x', 'x'.repeat(4_000), 'ольга']) {
    const { status, text } = await introspect(service, as, plain(token));
    assert.deepEqual([status, text], [200, '{"active":false}']);
  }
});

api('a script of another origin introspects with credentials that it sends itself', async (service) => {
  const ada = await service.register('ada');
  const token = await service.issueToken(ada);
  const { status } = await introspect(service, ada, plain(token), {
    ...FORM, 'Origin': 'https://program.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors',
  });
  assert.equal(status, 200);
});

api('introspection needs a sign-in, which a read-only token is enough for', async (service) => {
  const ada = await service.register('ada');
  const own = await service.issueScoped(ada, 'read_only');
  assert.equal((await introspect(service, undefined, plain(own))).status, 401);
  assert.equal((await introspect(service, own, plain(own))).json['scope'], 'read_only');
});

api('introspection is no use of the token', async (service) => {
  const ada = await service.register('ada');
  const token = await service.issueToken(ada);
  await introspect(service, ada, plain(token));
  assert.equal((await service.call('GET /api/v1/tokens/1', { as: ada })).json['last_used'], null);
});

const TOKEN = createToken().text;
const FORM_TYPE = FORM['Content-Type'];
const NOT_UTF8 = Buffer.from('token=\xff', 'latin1');

for (const [title, expected, body, type] of [
  ['JSON', 415, JSON.stringify({ token: TOKEN }), 'application/json'],
  ['no type', 415, `token=${TOKEN}`, undefined],
  ['a form of parts', 415, `token=${TOKEN}`, 'multipart/form-data; boundary=x'],
  ['a type that begins alike', 415, `token=${TOKEN}`, 'application/x-www-form-urlencoded2'],
  ['no body', 400, '', FORM_TYPE],
  ['no token', 400, 'token_type_hint=access_token', FORM_TYPE],
  ['an empty token', 400, 'token=', FORM_TYPE],
  ['two tokens', 400, `token=${TOKEN}&token=${TOKEN}`, FORM_TYPE],
  ['a malformed escape', 400, 'token=%zz', FORM_TYPE],
  ['other bytes than UTF-8', 400, NOT_UTF8, FORM_TYPE],
  ['a megabyte', 413, `token=${'x'.repeat(1_000_000)}`, FORM_TYPE],
  ['a charset and a hint', 200, `token=${TOKEN}&token_type_hint=x&y=1`, `${FORM_TYPE}; charset=utf-8`],
  ['a parameter that every object has', 200, `token=${TOKEN}&__proto__=x&toString=y`, FORM_TYPE],
] as const) {
  api(`introspection with ${title} is ${expected}`, async (service) => {
    const as = await service.register('ada');
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const answer = await service.call('POST /api/v1/introspect', { as, body, headers });
    assert.equal(answer.status, expected, answer.text);
    assert.ok(!answer.text.includes(TOKEN));
  });
}

api('a request without a body is told to send a form', async (service) => {
  const as = await service.register('ada');
  const { json } = await service.call('POST /api/v1/introspect', { as, headers: FORM });
  assert.match(json['detail'], /send a form$/);
});

api('a password instead of the token is inactive, and in no response and no log line', async (service) => {
  const as = await service.register('ada');
  const { text } = await introspect(service, as, 'ada-password');
  const misplaced = await service.call('POST /api/v1/introspect', {
    as, body: 'password=ada-password', headers: FORM,
  });
  assert.equal(text, '{"active":false}');
  assert.equal(misplaced.status, 400);
  assert.doesNotMatch(service.logLines.join('') + misplaced.text, /ada-password/);
});
