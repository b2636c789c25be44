/** Tests the section "POST /api/v1/users" of the specification. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createToken } from '../../src/model/token.ts';
import { openTestDatabase, withMethods } from '../support/database.ts';
import { api, atOnce, basic, inTurn, people, startService, times, type World } from '../support/service.ts';

const TOKEN = createToken().text;
const ADA = { username: 'ada', password: 'ada-password', email: 'ada@example.org' };
const REGISTER = 'POST /api/v1/users';

const pointersOf = ({ errors }: Record<string, any>): string[] =>
  errors.map(({ pointer }: { pointer: string }) => pointer);

// spec 2.1-1, 2.1-3, 2.1-5, 2.1-7, 4.5-1, 4.5-3, 4.5-4
api('POST /api/v1/users is 201 with username, email, id, date, Location, no password', async (service) => {
  const { headers, json } = await service.expect(201, REGISTER, { json: ADA });
  assert.deepEqual(json, {
    username: 'ada', email: 'ada@example.org', id: 1, date_created: '2026-01-01T00:00:00.000Z',
  });
  assert.equal(headers['location'], '/api/v1/users/1');
});

for (const [name, alike] of [
  ['ada', 'ada'], ['ada', 'ADA'], ['ada', 'aDa'], ['JOSÉ', 'jose\u0301'], ['root', 'ｒｏｏｔ'],
  ['νικος', 'ΝΙΚΟΣ'], ['Strasse', 'straße'], ['İnci', 'i̇nci'],
] as const) {
  // spec 2.1-2, 7-6
  api(`"${alike}" is taken when "${name}" exists, and signs in as that user`, async (service) => {
    await service.register(name);
    const { json: problem } = await service.expect(422, REGISTER, { json: { ...ADA, username: alike } });
    assert.equal(problem['type'], '/static/problems.html#username-taken');
    const { json } = await service.call('GET /api/v1/user', { as: basic(alike, `${name}-password`) });
    assert.equal(json['username'], name);
  });
}

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
  api(`a username ${title} is ${status}`, async ({ expect }) => {
    const { json } = await expect(status, REGISTER, { json: { ...ADA, username } });
    assert.ok(status === 201 || pointersOf(json).every((pointer) => pointer === '/username'));
  });
}

for (const [title, password, status] of [
  ['of 1 byte', 'x', 201],
  ['of 1024 bytes', 'é'.repeat(512), 201],
  ['that is empty', '', 400],
  ['of 1025 bytes', `${'é'.repeat(512)}x`, 400],
  ['that is not a string', 12345678, 400],
  ['with NUL at its end', 'secret\0', 400],
  ['with NUL inside', 'sec\0ret', 400],
  ['of NUL alone', '\0', 400],
  ['with NUL in its escape', 'secret\\0', 201],
  ['that is a token', TOKEN, 400],
  ['that is text in the form of a token', TOKEN.replace(/.$/, '_'), 400],
  ['that is text longer than a token', `${TOKEN}x`, 201],
  ['that is text that begins like a token', 'rollcall_and a long phrase', 201],
] as const) {
  // spec 2.4-6, 4.5-2
  api(`a password ${title} is ${status}, also as a new one`, async ({ expect, register }) => {
    const { json } = await expect(status, REGISTER, { json: { ...ADA, password } });
    const changed = await expect(status === 201 ? 200 : status, 'PUT /api/v1/users/eve/password', {
      as: await register('eve'), json: { password, current_password: 'eve-password' },
    });
    for (const answer of status === 201 ? [] : [json, changed.json]) {
      assert.deepEqual(pointersOf(answer), ['/password']);
    }
  });
}

api('a registration with an empty object gets a complaint for each missing member', async ({ expect }) => {
  const { json } = await expect(400, REGISTER, { json: {} });
  assert.deepEqual(pointersOf(json), ['/username', '/password', '/email']);
});

api('PASSWORD_MIN_LENGTH counts characters', { passwordLengthMin: 8 }, async (service) => {
  await service.expect(400, REGISTER, { json: { ...ADA, password: 'seven 7' } });
  await service.expect(201, REGISTER, { json: { ...ADA, password: 'eight 88' } });
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
    await service.expect(status, REGISTER, { json: { ...ADA, email } });
  });
}

// spec 4.5-1
api('the response lists every mistake, with a pointer to its member', async (service) => {
  const { headers, json } = await service.expect(400, REGISTER, {
    json: { username: 7, email: 'x', password: 8 },
  });
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8');
  const complaints = json['errors'].map(({ pointer, keyword }: any) => `${pointer} ${keyword}`);
  assert.deepEqual(complaints.sort(), ['/email format', '/password type', '/username type']);
});

for (const body of [
  '', '{', '{"username":"ada",}', 'null', '[]', '"ada"', '7', '{}', `{"__proto__":${JSON.stringify(ADA)}}`,
]) {
  // spec 7-1
  api(`the body ${body || '(empty)'} is 400`, async ({ expect }) => {
    await expect(400, REGISTER, { body, headers: { 'Content-Type': 'application/json' } });
  });
}

// spec 2.1-5
api('unknown members grant no rights and are not stored', async (service) => {
  const json = { ...ADA, is_admin: true, role: 'admin', id: 77, date_created: '2000-01-01T00:00:00.000Z' };
  assert.equal((await service.call(REGISTER, { json })).json['id'], 1);
  const { json: user } = await service.call('GET /api/v1/users/ada', { as: basic('ada', ADA.password) });
  assert.deepEqual([user['is_admin'], user['date_created']], [false, '2026-01-01T00:00:00.000Z']);
});

api('with REGISTRATION=closed only administrators create users', {
  registration: 'closed',
}, async (service) => {
  const { expect } = service;
  await expect(401, REGISTER, { json: ADA });
  await expect(201, REGISTER, { json: ADA, as: await service.registerAdministrator('root') });
  await expect(403, REGISTER, { json: { ...ADA, username: 'eve' }, as: basic('ada', ADA.password) });
});

for (const [title, toCredentials, author] of [
  ['a password', async ({ ada }: World) => ada, ['ada', 'password']],
  ['a token', ({ ada, issueToken }: World) => issueToken(ada), ['ada', 'token']],
  ['no credentials', async () => undefined, [undefined, 'none']],
  ['a wrong password', async () => basic('ada', 'wrong'), [undefined, 'none']],
  ['an identity token', ({ ada, issueScoped }: World) => issueScoped(ada, 'identity'), [undefined, 'none']],
] as const) {
  const sentence = `an open registration with ${title} is 201; its event names ${author[0] ?? 'nobody'}`;
  people(sentence, async (world) => {
    const as = await toCredentials(world);
    await world.expect(201, REGISTER, { as, json: { ...ADA, username: 'new' } });
    const trail = await world.call('GET /api/v1/audit_events?sort=-id', { as: world.root });
    const [event] = trail.json['audit_events'];
    assert.equal(event.action, 'user.create');
    assert.deepEqual([event.user?.username, event.sign_in], author);
  });
}

people('wrong passwords that come with open registrations count for the throttle', {
  failuresPerNameMax: 2,
}, async ({ ada, call, signIn }) => {
  const statuses = await inTurn(3, (index) => call(REGISTER, {
    as: basic('ada', `wrong ${index}`), json: { ...ADA, username: `new-${index}` },
  }));
  assert.deepEqual(statuses, times(3, 201));
  assert.deepEqual(await signIn(ada), [429]);
});

people('renaming to taken names is throttled like registrations, also with a stale tag', {
  failuresPerNetworkMax: 3,
}, async ({ ada: as, call }) => {
  const names = ['free', 'eve', 'eve', 'eve', 'eve', 'free'];
  const statuses = await inTurn(names.length, (index) => call('PATCH /api/v1/users/ada', {
    as, json: { username: names[index] }, headers: { 'If-Match': '"stale"' },
  }));
  assert.deepEqual(statuses, [412, 422, 422, 422, 429, 429]);
});

people('beyond the limit of taken names, a user may still send the own name, in any case', {
  failuresPerNetworkMax: 1,
}, async ({ ada: as, expect }) => {
  await expect(422, 'PATCH /api/v1/users/1', { as, json: { username: 'eve' } });
  await expect(429, 'PATCH /api/v1/users/1', { as, json: { username: 'eve' } });
  for (const username of ['ada', 'Ada', 'ADA']) {
    const json = { username, email: `${username}@new.example` };
    assert.equal((await expect(200, 'PATCH /api/v1/users/1', { as, json })).json['username'], username);
  }
});

test('60 concurrent registrations with taken names are throttled like sequential ones', async (t) => {
  const database = await openTestDatabase(t);
  // The database is so slow that each request has read from it before the first request writes to it.
  const farAway = withMethods(database, {
    read: async (...question) => {
      const rows = await database.read(...question);
      await setTimeout(20);
      return rows;
    },
  });
  const service = await startService(t, { failuresPerNetworkMax: 10 }, farAway);
  await service.register('ada');
  const statuses = await atOnce(60, () => service.call(REGISTER, { json: ADA }));
  assert.deepEqual(statuses, [...times(10, 422), ...times(50, 429)]);
});

// spec 2.1-2
api('of 50 concurrent registrations of one name one is 201, and all others are 422', async ({ call }) => {
  assert.deepEqual(await atOnce(50, () => call(REGISTER, { json: ADA })), [201, ...times(49, 422)]);
});
