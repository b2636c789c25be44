/**
 * Tests the section "Authentication" of the specification. 18-guessing.test.ts tests the limits on guessing.
 */
import assert from 'node:assert/strict';
import { api, basic } from '../support/service.ts';

const LIST = 'GET /api/v1/users';

for (const line of [
  'POST /api/v1/token', 'DELETE /api/v1/token', LIST, 'GET /api/v1/users/ada', 'GET /api/v1/projects',
  'POST /api/v1/projects', 'GET /api/v1/projects/notes', 'DELETE /api/v1/projects/notes',
]) {
  // spec 3-2, 3-3, 5-5, 5-10
  api(`${line} without credentials is 401 with both challenges`, async (service) => {
    const { headers } = await service.expect(401, line);
    assert.match(
      headers['www-authenticate'] ?? '', /^Basic realm="[^"]+", charset="UTF-8", Bearer realm="[^"]+"$/,
    );
  });
}

// spec 5-1
api('a username in any case and a password sign in', async ({ expect, register }) => {
  const as = await register('Ada');
  await expect(200, LIST, { as });
  await expect(200, LIST, { as: basic('aDA', 'Ada-password') });
});

// spec 5-2
api('a token signs in as a username with an empty password, alone, or as a bearer', async (service) => {
  const bearer = await service.registerWithToken('ada');
  const token = bearer.slice('Bearer '.length);
  const alone = `Basic ${Buffer.from(token).toString('base64')}`;
  for (const as of [basic(token, ''), alone, bearer]) {
    await service.expect(200, 'GET /api/v1/users/ada', { as });
  }
});

const LONGEST = 'p'.repeat(1024);

for (const [title, username, password, signsIn, expected] of [
  ['with colons and of any script signs in', 'ada', 'a:b:ключ:e\u0301', 'ada:a:b:ключ:e\u0301', 200],
  ['is compared in NFC', 'ada', 'a:b:ключ:e\u0301', 'ada:a:b:ключ:\u00e9', 200],
  ['in Latin-1, as is the username, signs in', 'josé', 'señal', Buffer.from('josé:señal', 'latin1'), 200],
  ['of 1024 bytes signs in', 'ada', LONGEST, `ada:${LONGEST}`, 200],
  ['without the first of 1024 bytes is wrong', 'ada', LONGEST, `ada:${LONGEST.slice(1)}`, 401],
  ['followed by NUL is wrong', 'ada', 'ada-password', 'ada:ada-password\0', 401],
  ['followed by two NUL is wrong', 'ada', 'ada-password', 'ada:ada-password\0\0', 401],
] as const) {
  api(`a password ${title}`, async ({ expect }) => {
    await expect(201, 'POST /api/v1/users', { json: { username, password, email: 'ada@example.org' } });
    await expect(expected, LIST, { as: `Basic ${Buffer.from(signsIn).toString('base64')}` });
  });
}

// spec 5-9
api('an unknown user, a wrong password and a wrong token get the same response', async (service) => {
  await service.register('ada');
  const attempts = [
    basic('nobody', 'x'), basic('ada', 'x'), basic('rollcall_x', ''), 'Bearer x', 'Basic', 'Digest x',
  ];
  const answers = await Promise.all(attempts.map((as) => service.expect(401, LIST, { as })));
  const withoutId = answers.map(({ headers, json: { request_id, ...body } }) => {
    const { date, 'x-request-id': id, ...fields } = headers;
    return { fields, body };
  });
  for (const answer of withoutId) {
    assert.deepEqual(answer, withoutId[0]);
  }
});

for (const place of ['?token=', '?access_token=']) {
  api(`a token in the query (${place}) does not sign in`, async (service) => {
    const token = (await service.registerWithToken('ada')).slice('Bearer '.length);
    await service.expect(401, `${LIST}${place}${token}`);
  });
}
