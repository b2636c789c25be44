/** Specification, "POST /api/v1/users". */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createToken } from '../../src/model/token.ts';
import { openTestDatabase, withMethods } from '../support/database.ts';
import { api, basic, startService } from '../support/service.ts';

const TOKEN = createToken();
const ADA = { username: 'ada', password: 'ada-password', email: 'ada@example.org' };

// spec 2.1-1, 2.1-3, 2.1-5, 2.1-7, 4.5-1, 4.5-3, 4.5-4
test('POST /api/v1/users answers 201 with username, email, id, date and Location, no password', async (t) => {
  const service = await startService(t);
  const { headers, json } = await service.expect(201, 'POST /api/v1/users', { json: ADA });
  assert.deepEqual(json, {
    username: 'ada', email: 'ada@example.org', id: 1, date_created: '2026-01-01T00:00:00.000Z',
  });
  assert.equal(headers['location'], '/api/v1/users/1');
});

for (const taken of ['ada', 'ADA', 'aDa']) {
  // spec 2.1-2, 7-6
  api(`POST /api/v1/users is 422 for "${taken}" when "ada" exists`, async (service) => {
    await service.register('ada');
    const { json } = await service.expect(422, 'POST /api/v1/users', { json: { ...ADA, username: taken } });
    assert.equal(json['type'], '/static/problems.html#username-taken');
  });
}

api('usernames that differ only in Unicode form or case are the same', async (service) => {
  await service.register('JOSÉ');
  await service.expect(422, 'POST /api/v1/users', { json: { ...ADA, username: 'jose\u0301' } });
});

for (const [name, alike] of [
  ['root', 'ｒｏｏｔ'], ['νικος', 'ΝΙΚΟΣ'], ['Strasse', 'straße'], ['İnci', 'i̇nci'],
] as const) {
  api(`"${alike}" is taken when "${name}" exists, and signs in as that user`, async (service) => {
    await service.register(name);
    await service.expect(422, 'POST /api/v1/users', { json: { ...ADA, username: alike } });
    const { json } = await service.call('GET /api/v1/user', { as: basic(alike, `${name}-password`) });
    assert.equal(json['username'], name);
  });
}

api('a user cannot be renamed to a name of two scripts', async (service) => {
  const as = await service.register('ada');
  const { json } = await service.expect(400, 'PATCH /api/v1/users/ada', { as, json: { username: 'аda' } });
  assert.deepEqual(json['errors'].map(({ pointer }: { pointer: string }) => pointer), ['/username']);
  await service.expect(200, 'PATCH /api/v1/users/ada', { as, json: { email: 'b@example.org' } });
});

for (const [name, other] of [['ann', 'anna'], ['ann', 'änn'], ['a_b', 'axb']] as const) {
  api(`"${other}" is free when "${name}" exists`, async (service) => {
    await service.register(name);
    await service.register(other);
  });
}

for (const [title, username, status] of [
  ['of 1 character', 'a', 201],
  ['of 64 characters', 'a'.repeat(64), 201],
  ['of 64 characters beyond the first plane', '𐐨'.repeat(64), 201],
  ['of every allowed punctuation mark', 'a._@+-', 201],
  ['in another script', 'हिन्दी', 201],
  ['of a letter that stands for four words', '\ufdfa', 400],
  ['of an Arabic letter', '\u0639', 201],
  ['of digits and a letter', '1a', 201],
  ['that is empty', '', 400],
  ['of 65 characters', 'a'.repeat(65), 400],
  ['of digits only', '12345', 400],
  ['that is a positive integer', '+5', 400],
  ['that is a negative integer', '-5', 400],
  ['of digits with a sign at the end', '5+', 201],
  ['of two signs and digits', '--5', 201],
  ['in the form of a token', TOKEN, 400],
  ['in the form of a token with a wrong checksum', `${TOKEN.slice(0, -6)}000000`, 400],
  ['one character shorter than a token', TOKEN.slice(0, -1), 201],
  ['that only begins like a token', 'rollcall_ada', 201],
  ['with a colon', 'a:b', 400],
  ['with a space', 'a b', 400],
  ['with a slash', 'a/b', 400],
  ['with a line end', 'a\nb', 400],
  ['with a NUL', 'a\0b', 400],
  ['with a zero width space', 'a\u200bb', 400],
  ['with an invisible mark', 'root\u034f', 400],
  ['with a variation selector', 'root\ufe0f', 400],
  ['with an invisible letter', 'root\u3164', 400],
  ['of an invisible letter', '\u3164', 400],
  ['of digits of another script only', '\uff14\uff12', 400],
  ['with a Cyrillic letter among Latin ones', 'roоt', 400],
  ['with a Greek letter among Latin ones', 'rοot', 400],
  ['of Latin, Han, Hiragana and Katakana', 'taro田中さんカ', 201],
  ['that is a dot segment', '..', 400],
  ['that is a number', 1, 400],
  ['that is null', null, 400],
  ['that is a list', ['ada'], 400],
] as const) {
  // spec 2.4-6, 4.5-2
  api(`a username ${title} is ${status}`, async (service) => {
    const answer = await service.expect(status, 'POST /api/v1/users', { json: { ...ADA, username } });
    if (status === 400) {
      assert.ok(answer.json['errors'].every(({ pointer }: { pointer: string }) => pointer === '/username'));
    }
  });
}

for (const [title, password, status] of [
  ['of 1 byte', 'x', 201],
  ['of 1024 bytes', 'é'.repeat(512), 201],
  ['that is empty', '', 400],
  ['of 1025 bytes', `${'é'.repeat(512)}x`, 400],
  ['that is not a string', 12345678, 400],
] as const) {
  // spec 2.4-6, 4.5-2
  api(`a password ${title} is ${status}`, async (service) => {
    const answer = await service.expect(status, 'POST /api/v1/users', { json: { ...ADA, password } });
    if (status === 400) {
      assert.deepEqual(
        answer.json['errors'].map(({ pointer }: { pointer: string }) => pointer), ['/password'],
      );
    }
  });
}

api('a registration with an empty object gets a complaint for each missing member', async (service) => {
  const { json } = await service.call('POST /api/v1/users', { json: {} });
  assert.deepEqual(
    json['errors'].map(({ pointer }: { pointer: string }) => pointer), ['/username', '/password', '/email'],
  );
});

api('PASSWORD_MIN_LENGTH counts characters', { passwordLengthMin: 8 }, async (service) => {
  await service.expect(400, 'POST /api/v1/users', { json: { ...ADA, password: 'seven 7' } });
  await service.expect(201, 'POST /api/v1/users', { json: { ...ADA, password: 'eight 88' } });
});

for (const [email, status] of [
  ['a@b.example', 201],
  [`${'a'.repeat(64)}@${`${'b'.repeat(63)}.`.repeat(2)}${'c'.repeat(61)}`, 201],
  ['nobody', 400],
  ['a@b@c', 400],
  ['@example.org', 400],
  ['a b@example.org', 400],
  [`${'a'.repeat(64)}@${`${'b'.repeat(63)}.`.repeat(2)}${'c'.repeat(62)}`, 400],
] as const) {
  // spec 2.1-4
  api(`the email "${email.slice(0, 30)}" of ${email.length} characters is ${status}`, async (service) => {
    await service.expect(status, 'POST /api/v1/users', { json: { ...ADA, email } });
  });
}

// spec 4.5-1
api('the response lists every mistake, with a pointer to its member', async (service) => {
  const { status, headers, json } = await service.call(
    'POST /api/v1/users', { json: { username: 7, email: 'x', password: 8 } },
  );
  assert.equal(status, 400);
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8');
  const complaints = json['errors']
    .map(({ pointer, keyword }: Record<string, string>) => `${pointer} ${keyword}`);
  assert.deepEqual(complaints.sort(), ['/email format', '/password type', '/username type']);
});

for (const body of ['', '{', '{"username":"ada",}', 'null', '[]', '"ada"', '7', '{}']) {
  // spec 7-1
  api(`the body ${body || '(empty)'} is 400`, async (service) => {
    const headers = { 'Content-Type': 'application/json' };
    await service.expect(400, 'POST /api/v1/users', { body, headers });
  });
}

// spec 2.1-5
api('unknown members grant no rights and are not stored', async (service) => {
  const json = { ...ADA, is_admin: true, role: 'admin', id: 77, date_created: '2000-01-01T00:00:00.000Z' };
  assert.equal((await service.call('POST /api/v1/users', { json })).json['id'], 1);
  const { json: user } = await service.call('GET /api/v1/users/ada', { as: basic('ada', ADA.password) });
  assert.equal(user['is_admin'], false);
  assert.equal(user['date_created'], '2026-01-01T00:00:00.000Z');
});

api('members in "__proto__" are ignored', async (service) => {
  const body = `{"__proto__":${JSON.stringify(ADA)}}`;
  await service.expect(400, 'POST /api/v1/users', { body });
});

test('with REGISTRATION=closed only an administrator creates users', async (t) => {
  const service = await startService(t, { registration: 'closed' });
  const root = await service.registerAdministrator('root');
  await service.expect(401, 'POST /api/v1/users', { json: ADA });
  await service.expect(201, 'POST /api/v1/users', { json: ADA, as: root });
  const ada = basic('ada', ADA.password);
  await service.expect(403, 'POST /api/v1/users', { json: { ...ADA, username: 'eve' }, as: ada });
});

for (const [title, credentials, author] of [
  ['a password', ({ ada }: Callers) => ada, ['ada', 'password']],
  ['a token', ({ token }: Callers) => token, ['ada', 'token']],
  ['no credentials', () => undefined, [undefined, 'none']],
  ['a wrong password', () => basic('ada', 'wrong'), [undefined, 'none']],
  ['an identity token', ({ identity }: Callers) => identity, [undefined, 'none']],
] as const) {
  test(`an open registration with ${title} is 201; its event names ${author[0] ?? 'nobody'}`, async (t) => {
    const service = await startService(t);
    const root = await service.registerAdministrator('root');
    const ada = await service.register('ada');
    const token = await service.issueToken(ada);
    const issued = await service.call('POST /api/v1/tokens', { as: ada, json: { scope: 'identity' } });
    const as = credentials({ ada, token, identity: `Bearer ${issued.json['token']}` });
    const json = { username: 'eve', password: 'eve-password', email: 'eve@example.org' };
    await service.expect(201, 'POST /api/v1/users', { ...(as && { as }), json });
    const trail = await service.call('GET /api/v1/audit_events?sort=-id', { as: root });
    const [event] = trail.json['audit_events'];
    assert.equal(event.action, 'user.create');
    assert.deepEqual([event.user?.username, event.sign_in], author);
  });
}

interface Callers {
  readonly ada: string;
  readonly token: string;
  readonly identity: string;
}

test('wrong passwords that come with open registrations count for the throttle', async (t) => {
  const service = await startService(t, { failuresPerNameMax: 2 });
  const ada = await service.register('ada');
  for (const username of ['eve', 'bob', 'cyd']) {
    const json = { username, password: 'a password', email: 'e@example.org' };
    await service.expect(201, 'POST /api/v1/users', { as: basic('ada', `wrong ${username}`), json });
  }
  await service.expect(429, 'GET /api/v1/user', { as: ada });
});

test('renaming to taken names is throttled like registrations, also with a stale tag', async (t) => {
  const service = await startService(t, { failuresPerAddressMax: 3 });
  const [ada] = [await service.register('ada'), await service.register('eve')];
  const rename = async (username: string) => (await service.call('PATCH /api/v1/users/ada', {
    as: ada, json: { username }, headers: { 'If-Match': '"stale"' },
  })).status;
  assert.equal(await rename('free'), 412);
  assert.deepEqual([await rename('eve'), await rename('eve'), await rename('eve')], [422, 422, 422]);
  assert.deepEqual([await rename('eve'), await rename('free')], [429, 429]);
});

test('users write their own name in another case, however many names are taken', async (t) => {
  const service = await startService(t, { failuresPerAddressMax: 1 });
  const ada = await service.register('ada');
  for (const username of ['Ada', 'ADA', 'ada']) {
    const answer = await service.call('PATCH /api/v1/users/1', { as: ada, json: { username } });
    assert.equal(answer.json['username'] ?? answer.text, username);
  }
});

test('registrations with taken usernames are throttled by address', async (t) => {
  const service = await startService(t, { failuresPerAddressMax: 2 });
  await service.register('ada');
  const statuses = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    statuses.push((await service.call('POST /api/v1/users', { json: ADA })).status);
  }
  assert.deepEqual(statuses, [422, 422, 429]);
});

test('60 concurrent registrations with taken names are throttled like sequential ones', async (t) => {
  const database = await openTestDatabase(t);
  const farAway = withMethods(database, { // so slow that all requests read before the first write
    read: async (...question) => {
      const rows = await database.read(...question);
      await setTimeout(20);
      return rows;
    },
  });
  const service = await startService(t, { failuresPerAddressMax: 10 }, farAway);
  await service.register('ada');
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => service.call('POST /api/v1/users', { json: ADA })),
  );
  assert.equal(answers.filter(({ status }) => status === 422).length, 10);
  assert.equal(answers.filter(({ status }) => status === 429).length, 50);
});

// spec 2.1-2
api('of 50 concurrent registrations of one name one is 201, and all others are 422', async (service) => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => service.call('POST /api/v1/users', { json: ADA })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(49).fill(422)]);
});

test('a registration whose name is taken while it waits is refused when its place comes', async (t) => {
  const service = await startService(t, { failuresPerAddressMax: 1 });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => service.call('POST /api/v1/users', { json: ADA })),
  );
  const statuses = Map.groupBy(answers, ({ status }) => status);
  assert.equal(statuses.get(201)?.length, 1);
  assert((statuses.get(429)?.length ?? 0) > 0, 'the look-up counts taken names, the insertion does not');
});

for (const [title, password, status] of [
  ['at its end', 'secret\0', 400],
  ['inside', 'sec\0ret', 400],
  ['alone', '\0', 400],
  ['in its escape', 'secret\\0', 201],
] as const) {
  api(`a password with NUL ${title} is ${status}`, async (service) => {
    await service.expect(status, 'POST /api/v1/users', { json: { ...ADA, password } });
    const as = await service.register('eve');
    const json = { password, current_password: 'eve-password' };
    const change = await service.call('PUT /api/v1/users/eve/password', { as, json });
    assert.equal(change.status, status === 201 ? 200 : status);
  });
}

for (const [title, toPassword, status] of [
  ['a token', () => createToken(), 400],
  ['text in the form of a token', () => createToken().replace(/.$/, '_'), 400],
  ['text that is longer than a token', () => `${createToken()}x`, 201],
  ['text that begins like a token', () => 'rollcall_and a long phrase', 201],
] as const) {
  api(`a password that is ${title} is ${status}`, async (service) => {
    const json = { username: 'ada', password: toPassword(), email: 'ada@example.org' };
    await service.expect(status, 'POST /api/v1/users', { json });
  });
}
