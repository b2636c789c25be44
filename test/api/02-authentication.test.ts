/** Specification, "Authentication". */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, startService } from '../support/service.ts';

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
  test(`${line} without credentials is 401 with both challenges`, async (t) => {
    const service = await startService(t);
    const { status, headers } = await service.call(line);
    assert.equal(status, 401);
    assert.match(
      headers['www-authenticate'] ?? '', /^Basic realm="[^"]+", charset="UTF-8", Bearer realm="[^"]+"$/,
    );
  });
}

// spec 5-1
test('a username and password sign in', async (t) => {
  const service = await startService(t);
  const ada = await service.register('ada');
  assert.equal((await service.call('GET /api/v1/users', { as: ada })).status, 200);
});

test('signing in ignores the case of the username', async (t) => {
  const service = await startService(t);
  await service.register('Ada');
  assert.equal((await service.call('GET /api/v1/users', { as: basic('aDA', 'Ada-password') })).status, 200);
});

// spec 5-2
test('a token signs in as a username with an empty password, alone in base64, or as a bearer', async (t) => {
  const service = await startService(t);
  const bearer = await service.registerWithToken('ada');
  const token = bearer.slice('Bearer '.length);
  const alone = `Basic ${Buffer.from(token).toString('base64')}`;
  for (const as of [basic(token, ''), alone, bearer]) {
    assert.equal((await service.call('GET /api/v1/users/ada', { as })).status, 200);
  }
});

test('a password may contain colons and characters of any script, and is compared in NFC', async (t) => {
  const service = await startService(t);
  const password = 'a:b:ключ:e\u0301';
  await service.call('POST /api/v1/users', { json: { username: 'ada', password, email: 'ada@example.org' } });
  assert.equal((await service.call('GET /api/v1/users', { as: basic('ada', password) })).status, 200);
  assert.equal(
    (await service.call('GET /api/v1/users', { as: basic('ada', 'a:b:ключ:\u00e9') })).status, 200,
  );
});

test('credentials that are not UTF-8 are read as Latin-1', async (t) => {
  const service = await startService(t);
  await service.call(
    'POST /api/v1/users', { json: { username: 'josé', password: 'señal', email: 'j@example.org' } },
  );
  const as = `Basic ${Buffer.from('josé:señal', 'latin1').toString('base64')}`;
  assert.equal((await service.call('GET /api/v1/users', { as })).status, 200);
});

test('a password of 1024 bytes is compared to its last byte', async (t) => {
  const service = await startService(t);
  const password = 'p'.repeat(1024);
  await service.call('POST /api/v1/users', { json: { username: 'ada', password, email: 'ada@example.org' } });
  assert.equal((await service.call('GET /api/v1/users', { as: basic('ada', password) })).status, 200);
  assert.equal(
    (await service.call('GET /api/v1/users', { as: basic('ada', password.slice(1)) })).status, 401,
  );
});

// spec 5-9
test('an unknown user, a wrong password and a wrong token get the same response', async (t) => {
  const service = await startService(t);
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
  test(`a token in the query (${place}) does not sign in`, async (t) => {
    const service = await startService(t);
    const token = (await service.registerWithToken('ada')).slice('Bearer '.length);
    assert.equal((await service.call(`GET /api/v1/users${place}${token}`)).status, 401);
  });
}

// spec 8-4
test('the 100th failure is 401, the 101st attempt 429, right or wrong', async (t) => {
  const service = await startService(t);
  const ada = await service.register('ada');
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    assert.equal(
      (await service.call('GET /api/v1/users', { as: basic('ada', `wrong ${attempt}`) })).status, 401,
    );
  }
  const { status, headers } = await service.call('GET /api/v1/users', { as: ada });
  assert.equal(status, 429);
  assert.equal(headers['retry-after'], '300');
});

test('a throttled username may sign in again after the window', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 1 });
  const ada = await service.register('ada');
  await service.call('GET /api/v1/users', { as: basic('ada', 'wrong') });
  assert.equal((await service.call('GET /api/v1/users', { as: ada })).status, 429);
  service.clock.nowMs += 300_000;
  assert.equal((await service.call('GET /api/v1/users', { as: ada })).status, 200);
});

test('a throttled user can use tokens, and other users of the address can sign in', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 1 });
  const token = await service.registerWithToken('ada');
  const grace = await service.register('grace');
  await service.call('GET /api/v1/users', { as: basic('ada', 'wrong') });
  assert.equal((await service.call('GET /api/v1/users', { as: basic('ada', 'wrong') })).status, 429);
  assert.equal((await service.call('GET /api/v1/users', { as: token })).status, 200);
  assert.equal((await service.call('GET /api/v1/users', { as: grace })).status, 200);
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

test('of 120 concurrent guesses no more passwords are checked than of sequential ones', async (t) => {
  const service = await startService(t);
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
  const answer = await service.call('GET /api/v1/users', {
    as: ada, headers: { 'X-Forwarded-For': '192.0.2.2' },
  });
  assert.equal(answer.status, 429);
});

test('a password followed by NUL is wrong', async (t) => {
  const service = await startService(t, { verifiedSeconds: 0 });
  const as = await service.register('ada');
  for (const suffix of ['\0', '\0\0']) {
    const wrong = basic('ada', `ada-password${suffix}`);
    assert.equal((await service.call('GET /api/v1/users', { as: wrong })).status, 401);
  }
  assert.equal((await service.call('GET /api/v1/users', { as })).status, 200);
});
