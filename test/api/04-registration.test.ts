import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { createToken } from '../../src/model/token.ts';
import { api, atOnce, basic, inTurn, people, times, type World } from '../support/service.ts';

const TOKEN = createToken().text;
const ADA = { username: 'ada', password: 'ada-password', email: 'ada@example.org' };
const REGISTER = 'POST /api/v1/users';

/** @param outcome - The expected status, or the expected message of every fault. */
function assertFaults({ errors = [] }: Record<string, any>, pointer: string, outcome: number | string): void {
  assert.equal(errors.length > 0, outcome !== 201);
  for (const fault of errors) {
    assert.equal(fault.pointer, pointer);
    assert.ok(outcome === 400 || fault.message === outcome, fault.message);
  }
}

// spec 2.1-1, 2.1-3, 2.1-5, 2.1-7, 4.5-1, 4.5-3, 4.5-4
api('POST /api/v1/users is 201 with username, email, id, date, Location, no password', async (service) => {
  const unknown = { is_admin: true, role: 'admin', id: 77, date_created: '2000-01-01T00:00:00.000Z' };
  const { headers, json } = await service.expect(201, REGISTER, { json: { ...ADA, ...unknown } });
  const ada = { username: 'ada', email: 'ada@example.org', id: 1, date_created: '2026-01-01T00:00:00.000Z' };
  assert.deepEqual(json, ada);
  assert.equal(headers['location'], '/api/v1/users/1');
  const read = await service.expect(200, 'GET /api/v1/users/1', { as: basic('ada', ADA.password) });
  assert.deepEqual(read.json, { ...ada, is_admin: false, disabled: false, projects_total: 0, projects: [] });
});

// spec 2.1-2, 5-1, 7-6
api.each('"{1}" is taken when "{0}" exists, and signs in as that user', [
  ['ada', 'ada'], ['ada', 'ADA'], ['ada', 'aDa'], ['JOSÉ', 'jose\u0301'], ['root', 'ｒｏｏｔ'],
  ['νικος', 'ΝΙΚΟΣ'], ['Strasse', 'straße'], ['İnci', 'i̇nci'],
], async (service, [name, alike]) => {
  await service.register(name);
  await service.expect('422 username-taken', REGISTER, { json: { ...ADA, username: alike } });
  const { json } = await service.call('GET /api/v1/user', { as: basic(alike, `${name}-password`) });
  assert.equal(json['username'], name);
});

// spec 2.4-6, 4.5-2
api.each('a username {0}: {1}', [
  ['of 1 to 64 characters', 201, 'a', 'a'.repeat(64), '𐐨'.repeat(64)],
  ['that differs from all others', 201, 'ann', 'anna', 'änn', 'a_b', 'axb'],
  ['of every allowed punctuation mark', 201, 'a._@+-'],
  ['of one script, or of scripts that belong together', 201, 'root-1@example.org', 'José', 'Жанна_7', 'νίκος',
    'हिन्दी', '\u0639', 'سلام', 'taro田中さんカ', '東京タワーX', '김철수kim', 'ㄅㄆ注音abc', '𐐨𐐨', 'ꭰꭱ', 'x\u0304',
    '\u05d0\u0304'],
  ['of characters that stand for others', 201, '𝐀𝐁', '\ufdf2'.repeat(63)], // U+FDF2 stands for 4 characters
  ['of digits with other characters', 201, '1a', '5+', '--5', '1-', '1.0', '1e3', '0x1', '+'],
  ['that only resembles a token', 201, TOKEN.slice(0, -1), 'rollcall_ada'],
  ['of 0 or 65 characters', 400, '', 'a'.repeat(65)],
  ['that is an integer, in any script', 400, '12345', '+5', '-5', '\uff14\uff12'],
  ['in the form of a token, whatever its checksum', 400, TOKEN, `${TOKEN.slice(0, -6)}000000`],
  ['with a forbidden character', 400, 'a:b', 'a b', 'a/b', 'a\nb', 'a\0b'],
  ['with an invisible mark or selector', 400, 'a\u200bb', 'root\u034f', 'root\ufe0f'],
  ['with an invisible letter', 400, 'root\u3164', '\u3164'],
  ['that is a dot segment', 400, '..'],
  ['that is not a string', 400, 1, null, ['ada']],
  ['of several writing systems', 'must use only one writing system, such as Latin or Greek',
    'roоt', 'rοot', 'rοοt', 'ѕсоре1x', 'ѕоmе', 'αб', 'abc١', 'Ꭰoot', 'Ꭰж', '\u00b5torrent', 'r𝛐𝛐t', '김さん',
    'さんㄅ'],
  ['with spaces in its key', 'must have no character that stands for several words', '\ufdfa', '\ufe70',
    '\ufdfa'.repeat(64)],
  ['with a key of 256 characters', 'must have fewer characters that stand for several characters',
    '\ufdf2'.repeat(64)],
], async ({ expect }, [, outcome, ...usernames]) => {
  for (const username of usernames) {
    const { json } = await expect(outcome === 201 ? 201 : 400, REGISTER, { json: { ...ADA, username } });
    assertFaults(json, '/username', outcome);
    if (outcome === 201) {
      const as = basic(String(username), ADA.password);
      const read = await expect(200, `GET /api/v1/users/${encodeURIComponent(String(username))}`, { as });
      assert.equal(read.json['id'], json['id']);
    }
  }
});

// spec 2.4-6, 4.5-2
people.each('with PASSWORD_MIN_LENGTH={0}, a first or later password {1}: {2}', [
  [1, 'of 1 to 1024 bytes', 201, 'x', 'é'.repeat(512)],
  [1, 'that only resembles a token, or NUL', 201, `${TOKEN}x`, 'rollcall_and a long phrase', 'secret\\0'],
  [1, 'of 0 or 1025 bytes', 400, '', `${'é'.repeat(512)}x`],
  [1, 'with NUL', 400, 'secret\0', 'sec\0ret', '\0'],
  [1, 'that is a token, or has its form', 400, TOKEN, TOKEN.replace(/.$/, '_')],
  [1, 'that is not a string', 400, 12345678],
  [7, 'that is common', 201, 'password'],
  [8, 'that is uncommon', 201, 'eight 88', 'aaaaaaaaaa b'],
  [8, 'of 7 characters', 'must be at least 8 characters long', 'seven 7'],
  [8, 'that is common', 'must not be one of the most common passwords', 'password', 'PASSWORD1', 'Qwerty123',
    '123456789', 'correcthorsebatterystaple'],
], async ({ expect, root: as }, [, , outcome, ...passwords]) => {
  for (const [index, password] of passwords.entries()) {
    const json = { ...ADA, username: `new-${index}`, password };
    for (const [status, line] of [[201, REGISTER], [200, 'PUT /api/v1/users/eve/password']] as const) {
      const answer = await expect(outcome === 201 ? status : 400, line, { as, json });
      assertFaults(answer.json, '/password', outcome);
    }
  }
}, ([passwordLengthMin]) => ({ passwordLengthMin }));

// spec 2.1-4, 4.5-1
api.each('the response to {0} lists every mistake with a pointer', [
  [{}, ['/email required', '/password required', '/username required']],
  [{ username: 7, email: 'x', password: 8 }, ['/email format', '/password type', '/username type']],
], async ({ expect }, [sent, expected]) => {
  const { headers, json } = await expect(400, REGISTER, { json: sent });
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8');
  const complaints = json['errors'].map(({ pointer, keyword }: any) => `${pointer} ${keyword}`);
  assert.ok(json['errors'].every(({ keyword, message }: any) =>
    keyword !== 'required' || message === 'is required'));
  assert.deepEqual(complaints.sort(), expected);
});

people.each('an open registration with {0} is 201; its event names {1}, {2}', [
  ['a password', 'ada', 'password', async ({ ada }: World) => ada],
  ['a token', 'ada', 'token', ({ ada, issueToken }: World) => issueToken(ada)],
  ['no credentials', undefined, 'none', async () => undefined],
  ['a wrong password', undefined, 'none', async () => basic('ada', 'wrong')],
  ['an identity token', undefined, 'none', ({ ada, issueScoped }: World) => issueScoped(ada, 'identity')],
], async (world, [, author, signIn, toCredentials]) => {
  const as = await toCredentials(world);
  await world.expect(201, REGISTER, { as, json: { ...ADA, username: 'new' } });
  const [event] = await world.readTrail(world.root, '?sort=-id');
  assert.deepEqual([event.action, event.user?.username, event.sign_in], ['user.create', author, signIn]);
});

people('wrong passwords in open registrations count for the throttle', async ({ ada, call, signIn }) => {
  const statuses = await inTurn(3, (index) => call(REGISTER, {
    as: basic('ada', `wrong ${index}`), json: { ...ADA, username: `new-${index}` },
  }));
  assert.deepEqual([...statuses, ...await signIn(ada)], [201, 201, 201, 429]);
}, { failuresPerNameMax: 2 });

people('renaming to taken names is throttled like registrations, also with a stale tag', async (world) => {
  const { ada: as, call, expect } = world;
  const names = ['free', 'eve', 'eve', 'eve', 'eve', 'free'];
  const statuses = await inTurn(names.length, (index) => call('PATCH /api/v1/users/ada', {
    as, json: { username: names[index] }, headers: { 'If-Match': '"stale"' },
  }));
  assert.deepEqual(statuses, [412, 422, 422, 422, 429, 429]);
  for (const username of ['ada', 'Ada', 'ADA']) { // ada can change the case of her name
    const json = { username, email: `${username}@new.example` };
    assert.equal((await expect(200, 'PATCH /api/v1/users/1', { as, json })).json['username'], username);
  }
}, { failuresPerNetworkMax: 3 });

api('of 60 concurrent registrations with a taken name, 50 are throttled; sign-ins are not', async (
  service, t,
) => {
  const as = await service.register('ada');
  // Reads are slow, so every request has finished its reads before the first request writes.
  const { read } = service.database;
  t.mock.method(service.database, 'read', async (...question: Parameters<typeof read>) => {
    const rows = await read(...question);
    await setTimeout(20);
    return rows;
  });
  const statuses = await atOnce(60, () => service.call(REGISTER, { json: ADA }));
  assert.deepEqual(statuses, [...times(10, 422), ...times(50, 429)]);
  assert.deepEqual(await service.signIn(as, basic('ada', 'wrong'), basic('nobody', 'x')), [200, 401, 401]);
  assert.equal(service.logLines.filter((line) => line.includes('usernames throttled')).length, 1);
}, { failuresPerNetworkMax: 10 });
