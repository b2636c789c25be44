/** Specification, "Authentication". */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, basic, startService } from '../support/service.ts';

const NEEDING_CREDENTIALS = [
  'POST /api/v1/token',
  'DELETE /api/v1/token',
  'GET /api/v1/users',
  'GET /api/v1/users/ada',
  'GET /api/v1/projects',
  'POST /api/v1/projects',
  'GET /api/v1/projects/notes',
  'DELETE /api/v1/projects/notes',
];

for (const line of NEEDING_CREDENTIALS) {
  // spec 3-2, 3-3, 5-5, 5-10
  api(`${line} without credentials is 401 with both challenges`, async (service) => {
    const { headers } = await service.expect(401, line);
    assert.match(
      headers['www-authenticate'] ?? '', /^Basic realm="[^"]+", charset="UTF-8", Bearer realm="[^"]+"$/,
    );
  });
}

// spec 5-1
api('a username and password sign in', async (service) => {
  const ada = await service.register('ada');
  await service.expect(200, 'GET /api/v1/users', { as: ada });
});

api('signing in ignores the case of the username', async (service) => {
  await service.register('Ada');
  await service.expect(200, 'GET /api/v1/users', { as: basic('aDA', 'Ada-password') });
});

// spec 5-2
test('a token signs in as a username with an empty password, alone in base64, or as a bearer', async (t) => {
  const service = await startService(t);
  const bearer = await service.registerWithToken('ada');
  const token = bearer.slice('Bearer '.length);
  const alone = `Basic ${Buffer.from(token).toString('base64')}`;
  for (const as of [basic(token, ''), alone, bearer]) {
    await service.expect(200, 'GET /api/v1/users/ada', { as });
  }
});

api('a password may contain colons and characters of any script, and is compared in NFC', async (service) => {
  const password = 'a:b:ключ:e\u0301';
  await service.call('POST /api/v1/users', { json: { username: 'ada', password, email: 'ada@example.org' } });
  await service.expect(200, 'GET /api/v1/users', { as: basic('ada', password) });
  await service.expect(200, 'GET /api/v1/users', { as: basic('ada', 'a:b:ключ:\u00e9') });
});

api('credentials that are not UTF-8 are read as Latin-1', async (service) => {
  await service.call(
    'POST /api/v1/users', { json: { username: 'josé', password: 'señal', email: 'j@example.org' } },
  );
  const as = `Basic ${Buffer.from('josé:señal', 'latin1').toString('base64')}`;
  await service.expect(200, 'GET /api/v1/users', { as });
});

api('a password of 1024 bytes is compared to its last byte', async (service) => {
  const password = 'p'.repeat(1024);
  await service.call('POST /api/v1/users', { json: { username: 'ada', password, email: 'ada@example.org' } });
  await service.expect(200, 'GET /api/v1/users', { as: basic('ada', password) });
  await service.expect(401, 'GET /api/v1/users', { as: basic('ada', password.slice(1)) });
});

// spec 5-9
api('an unknown user, a wrong password and a wrong token get the same response', async (service) => {
  await service.register('ada');
  const attempts = [
    basic('nobody', 'x'), basic('ada', 'x'), basic('rollcall_x', ''), 'Bearer x', 'Basic', 'Digest x',
  ];
  const answers = await Promise.all(attempts.map((as) => service.call('GET /api/v1/users', { as })));
  const withoutId = answers.map(({ status, headers, json: { request_id, ...body } }) => {
    const { date, 'x-request-id': id, ...fields } = headers;
    return { status, fields, body };
  });
  for (const answer of withoutId) {
    assert.equal(answer.status, 401);
    assert.deepEqual(answer, withoutId[0]);
  }
});

for (const place of ['?token=', '?access_token=']) {
  api(`a token in the query (${place}) does not sign in`, async (service) => {
    const token = (await service.registerWithToken('ada')).slice('Bearer '.length);
    await service.expect(401, `GET /api/v1/users${place}${token}`);
  });
}

// spec 8-4
api('the 100th failure is 401, the 101st attempt 429, right or wrong', async (service) => {
  const ada = await service.register('ada');
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    await service.expect(401, 'GET /api/v1/users', { as: basic('ada', `wrong ${attempt}`) });
  }
  const { headers } = await service.expect(429, 'GET /api/v1/users', { as: ada });
  assert.equal(headers['retry-after'], '300');
});

api('a throttled username may sign in again after the window', { failuresPerNameMax: 1 }, async (service) => {
  const ada = await service.register('ada');
  await service.call('GET /api/v1/users', { as: basic('ada', 'wrong') });
  await service.expect(429, 'GET /api/v1/users', { as: ada });
  service.clock.nowMs += 300_000;
  await service.expect(200, 'GET /api/v1/users', { as: ada });
});

test('a throttled user can use tokens, and other users of the address can sign in', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 1 });
  const token = await service.registerWithToken('ada');
  const grace = await service.register('grace');
  await service.call('GET /api/v1/users', { as: basic('ada', 'wrong') });
  await service.expect(429, 'GET /api/v1/users', { as: basic('ada', 'wrong') });
  await service.expect(200, 'GET /api/v1/users', { as: token });
  await service.expect(200, 'GET /api/v1/users', { as: grace });
});

test('an unknown username is throttled at the same attempt as a known one', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 2 });
  await service.register('ada');
  for (const username of ['ada', 'nobody']) {
    const statuses = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      statuses.push(
        (await service.call('GET /api/v1/users', { as: basic(username, `wrong ${attempt}`) })).status,
      );
    }
    assert.deepEqual(statuses, [401, 401, 429]);
  }
});

api('of 120 concurrent guesses no more passwords are checked than of sequential ones', async (service) => {
  await service.register('ada');
  const guesses = Array.from({ length: 120 }, (_, index) => basic('ada', `guess ${index}`));
  const answers = await Promise.all(guesses.map((as) => service.call('GET /api/v1/users', { as })));
  assert.equal(answers.filter(({ status }) => status === 401).length, 100);
  assert.equal(answers.filter(({ status }) => status === 429).length, 20);
});

test('header fields from untrusted proxies do not change the throttled address', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 1 });
  const ada = await service.register('ada');
  await service.call('GET /api/v1/users', {
    as: basic('ada', 'wrong'), headers: { 'X-Forwarded-For': '192.0.2.1' },
  });
  await service.expect(429, 'GET /api/v1/users', { as: ada, headers: { 'X-Forwarded-For': '192.0.2.2' } });
});

api('a password followed by NUL is wrong', { verifiedSeconds: 0 }, async (service) => {
  const as = await service.register('ada');
  for (const suffix of ['\0', '\0\0']) {
    const wrong = basic('ada', `ada-password${suffix}`);
    await service.expect(401, 'GET /api/v1/users', { as: wrong });
  }
  await service.expect(200, 'GET /api/v1/users', { as });
});
