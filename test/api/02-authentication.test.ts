import assert from 'node:assert/strict';
import { api, basic, people } from '../support/service.ts';

const ME = 'GET /api/v1/user';

const toBasic = (content: string | Buffer) => `Basic ${Buffer.from(content).toString('base64')}`;

// spec 5-2
people('a token signs in alone, as a bearer, or as a username, until it is revoked', async (world) => {
  for (const toCredentials of [
    (token: string) => `Bearer ${token}`, toBasic,
    ...['', 'unused', 'x', 'ada-password'].map((password) => (token: string) => basic(token, password)),
  ]) {
    const as = toCredentials((await world.issueToken(world.ada)).replace('Bearer ', ''));
    assert.equal((await world.expect(200, ME, { as })).json['sign_in'], 'token');
    await world.expect(200, 'DELETE /api/v1/token', { as });
    assert.deepEqual(await world.signIn(as), [401]);
  }
});

const LONGEST = 'p'.repeat(1024);

api.each('a password {0}', [
  ['with colons and of any script signs in', 'ada', 'a:b:ключ:e\u0301', 'ada:a:b:ключ:e\u0301', 200],
  ['is compared in NFC', 'ada', 'a:b:ключ:e\u0301', 'ada:a:b:ключ:\u00e9', 200],
  ['in Latin-1, as is the username, signs in', 'josé', 'señal', Buffer.from('josé:señal', 'latin1'), 200],
  ['of 1024 bytes signs in', 'ada', LONGEST, `ada:${LONGEST}`, 200],
  ['without the first of 1024 bytes is wrong', 'ada', LONGEST, `ada:${LONGEST.slice(1)}`, 401],
  ['with another last byte of 1024 is wrong', 'ada', LONGEST, `ada:${LONGEST.slice(1)}x`, 401],
  ['without the last of 73 bytes is wrong', 'ada', `${'x'.repeat(72)}y`, `ada:${'x'.repeat(72)}`, 401],
  ['in other letters is wrong', 'ada', 'ada-password', 'ada:Ada-password', 401],
  ['without diacritics is wrong', 'ada', 'pässwörd 🗝️', 'ada:password 🗝️', 401],
  ['followed by NUL is wrong', 'ada', 'ada-password', 'ada:ada-password\0', 401],
  ['followed by two NUL is wrong', 'ada', 'ada-password', 'ada:ada-password\0\0', 401],
  ['with NUL within is wrong', 'ada', 'ada-password', 'ada:ada\0-password', 401],
], async ({ expect }, [, username, password, signsIn, expected]) => {
  await expect(201, 'POST /api/v1/users', { json: { username, password, email: 'ada@example.org' } });
  await expect(expected, ME, { as: toBasic(signsIn) });
});

// spec 5-9
people('unknown users, wrong passwords and wrong or misplaced tokens get one response', async (world) => {
  const token = (await world.issueToken(world.ada)).replace('Bearer ', '');
  const answers = await Promise.all([
    ...[basic('nobody', 'x'), basic('ada', 'x'), basic('rollcall_x', ''), 'Bearer x', 'Basic', 'Digest x']
      .map((as) => world.expect(401, ME, { as })),
    ...['token', 'access_token'].map((name) => world.expect(401, `${ME}?${name}=${token}`)),
  ]);
  const withoutId = answers.map(({ headers, json: { request_id, ...body } }) => {
    const { date, 'x-request-id': id, ...fields } = headers;
    return { fields, body };
  });
  assert.deepEqual(withoutId, Array(answers.length).fill(withoutId[0]));
});
