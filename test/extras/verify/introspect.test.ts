import assert from 'node:assert/strict';
import { createToken } from '../../../src/model/token.ts';
import { people, type TestService } from '../../support/service.ts';

function introspect({ call }: TestService, as: string, token: string, headers = {}) {
  const form = new URLSearchParams({ token: token.replace('Bearer ', '') }).toString();
  return call('POST /api/v1/introspect', { as, form, headers });
}

people('introspection of a valid token says whose it is, and until when', async (world) => {
  const token = await world.issueToken(world.ada, '?expiration=60');
  const { status, headers, json } = await introspect(world, world.eve, token);
  assert.deepEqual([status, headers['cache-control']], [200, 'no-store']);
  const iat = Date.parse('2026-01-01T00:00:00.000Z') / 1_000;
  assert.deepEqual(json, {
    active: true, sub: '1', username: 'ada', email: 'ada@example.org', scope: 'full', token_type: 'Bearer',
    exp: iat + 60, iat,
  });
});

people('an unknown, expired or revoked token and one of a disabled user are only inactive', async (world) => {
  const { ada, eve, root, clock, call, issueToken, registerWithToken } = world;
  const [expired, revoked, disabled] = [
    await issueToken(ada, '?expiration=1'), await issueToken(ada), await registerWithToken('bob'),
  ];
  clock.nowMs += 1_000;
  await call('DELETE /api/v1/token', { as: revoked });
  await call('PATCH /api/v1/users/bob', { as: root, json: { disabled: true } });
  for (const token of [expired, revoked, disabled, createToken().text, 'x', 'x'.repeat(4_000), 'ольга']) {
    const { status, text } = await introspect(world, eve, token);
    assert.deepEqual([status, text], [200, '{"active":false}']);
  }
});

people('a script of another origin introspects with credentials that it sends itself', async (world) => {
  const { status } = await introspect(world, world.ada, await world.issueToken(world.ada), {
    'Origin': 'https://program.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors',
  });
  assert.equal(status, 200);
});

people('introspection is no use of the token', async (world) => {
  const { ada: as, call } = world;
  await introspect(world, as, await world.issueToken(as));
  assert.equal((await call('GET /api/v1/tokens/1', { as })).json['last_used'], null);
});

const TOKEN = createToken().text;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const NOT_UTF8 = Buffer.from('token=\xff', 'latin1');

people.each('introspection with {0} is {1}', [
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
], async ({ ada: as, call }, [, expected, body, type]) => {
  const headers = type === undefined ? {} : { 'Content-Type': type };
  const answer = await call('POST /api/v1/introspect', { as, body, headers });
  assert.equal(answer.status, expected, answer.text);
  assert.ok(!answer.text.includes(TOKEN));
  assert.equal(body === '', /send a form$/.test(answer.text === '' ? '' : answer.json['detail']));
});

people('a password instead of the token is inactive, and in no response and no log line', async (world) => {
  const { ada: as, call, logLines } = world;
  const { text } = await introspect(world, as, 'ada-password');
  const misplaced = await call('POST /api/v1/introspect', { as, form: 'password=ada-password' });
  assert.deepEqual([text, misplaced.status], ['{"active":false}', 400]);
  assert.doesNotMatch(logLines.join('') + misplaced.text, /ada-password/);
});
