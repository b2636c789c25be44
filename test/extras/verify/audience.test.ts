import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { each } from '../../support/each.ts';
import { BEHIND_PROXY, shared, startWorld } from '../../support/service.ts';

const WIKI = 'wiki.example.org';

async function start(t: TestContext, isTrusted = true) {
  const world = await startWorld(t, isTrusted ? BEHIND_PROXY : {});
  const { ada, call } = world;
  const create = async (json: object, as = ada) => {
    const answer = await call('POST /api/v1/tokens', { as, json });
    return { ...answer, as: `Bearer ${answer.json['token']}` };
  };
  const verify = (as: string, host: string | string[] | undefined, path = '') =>
    call(`GET /api/v1/verify${path}`, {
      as, headers: { 'X-Forwarded-Method': 'GET', ...(host !== undefined && { 'X-Forwarded-Host': host }) },
    });
  return { ...world, create, verify };
}

/** This service is shared by tests that use only their own tokens. */
const independent = shared(async (t) => {
  const world = await start(t);
  await world.createProject(world.ada, 'notes');
  return world;
});

const SPELLINGS = ['Wiki.Example.org', 'BÜCHER.example:443', 'git.example.org.:8443', '[::1]:3000'];

each('{0}', [
  ['an audience is stored in lower case and ASCII, and shown by every record of the token',
    { audience: SPELLINGS }, [WIKI, 'xn--bcher-kva.example', 'git.example.org:8443', '[::1]:3000']],
  ['a token without an audience has null in its records, and no "aud" in introspection', {}, null],
], async ([, given, audience], t) => {
  const { ada, call, create } = await start(t);
  const created = await create({ scope: 'identity', ...given });
  const { json } = await call('GET /api/v1/tokens/1', { as: ada });
  const { json: { tokens } } = await call('GET /api/v1/tokens', { as: ada });
  const shown = [created.json, json, tokens[0]].map((record) => record.audience);
  assert.deepEqual(shown, [audience, audience, audience]);
  const own = await call('GET /api/v1/user', { as: created.as });
  assert.equal(own.json['token']?.audience, audience === null ? null : undefined);
  const form = `token=${created.as.slice(7)}`;
  const { json: { active, scope, aud } } = await call('POST /api/v1/introspect', { as: ada, form });
  assert.deepEqual([active, scope, aud], [true, 'identity', audience ?? undefined]);
});

const hosts = (count: number) => Array.from({ length: count }, (_, index) => `p${index}.example.org`);

independent.each('an audience with {0} is 400', [
  ['no list', WIKI, '/audience', 'type'],
  ['null', null, '/audience', 'type'],
  ['an empty list', [], '/audience', 'minItems'],
  ['11 hosts', hosts(11), '/audience', 'maxItems'],
  ['a number', [WIKI, 1], '/audience/1', 'type'],
  ['a URL', [WIKI, `https://${WIKI}`], '/audience/1', 'format'], // model/audience.test.ts tests more texts
  ['261 characters', ['a'.repeat(261)], '/audience/0', 'maxLength'],
  ['one host twice', [WIKI, WIKI], '/audience/1', 'uniqueItems'],
  ['a host in two spellings', ['bücher.example', 'XN--bcher-kva.example.'], '/audience/1', 'uniqueItems'],
], async ({ create }, [, audience, pointer, keyword]) => {
  const { status, json: { errors } } = await create({ audience });
  assert.deepEqual([status, errors?.[0].pointer, errors?.[0].keyword], [400, pointer, keyword]);
});

independent('an audience may have 10 hosts', async ({ create, verify }) => {
  const { status, as } = await create({ audience: hosts(10) });
  assert.equal(status, 201);
  assert.equal((await verify(as, 'p9.example.org')).status, 204);
});

independent.each(`a token for ${WIKI} and bücher.example:8443 is {1} for {0}`, [
  [WIKI, 204], ['WIKI.example.org.:443', 204], ['XN--bcher-kva.example.:08443', 204],
  ['git.example.org', 403], [`${WIKI}:8443`, 403], ['xn--bcher-kva.example', 403], [`x.${WIKI}`, 403],
  [`${WIKI}.evil.example`, 403], ['', 403], [undefined, 403], [[WIKI, WIKI] as string[], 403],
  [`${WIKI}, git.example.org`, 403], [`${WIKI}/`, 403], ['x'.repeat(4_000), 403],
], async ({ create, verify }, [host, expected]) => {
  const { as } = await create({ audience: [WIKI, 'BÜCHER.example:8443'] });
  for (const path of ['', '/notes']) {
    const answer = await verify(as, host, path);
    assert.equal(answer.status, expected, answer.text);
    if (expected === 403) {
      assert.equal(answer.json['type'], '/static/problems.html#token-for-programs');
      assert.equal('remote-user' in answer.headers, false);
    }
  }
});

// For operations that refuse every token with an audience, see api/16-access.test.ts.
test('X-Forwarded-Host of an untrusted peer opens nothing', async (t) => {
  const { create, verify } = await start(t, false);
  assert.equal((await verify((await create({ audience: [WIKI] })).as, WIKI)).status, 403);
});

independent('a password or token without audience passes for every host', async ({ ada, create, verify }) => {
  for (const as of [ada, (await create({ scope: 'identity' })).as]) {
    for (const host of [WIKI, 'git.example.org', '', undefined]) {
      assert.equal((await verify(as, host)).status, 204);
    }
  }
});

test('a token for a program allows no more than its scope and the rights of its owner', async (t) => {
  const { eve, create, createProject, expect } = await start(t);
  const { as } = await create({ scope: 'read_only', audience: [WIKI] });
  const headers = { 'X-Forwarded-Host': WIKI, 'X-Forwarded-Method': 'POST' };
  await expect(403, 'GET /api/v1/verify', { as, headers });
  await createProject(eve, 'notes');
  const full = await create({ audience: [WIKI] });
  await expect(403, 'GET /api/v1/verify/notes', { as: full.as, headers });
});

independent.each('a token for a program ({0}) revokes itself only', ['full', 'read_only', 'identity'], async (
  { create, expect, verify }, scope,
) => {
  const { as } = await create({ scope, audience: [WIKI] });
  const other = await create({ scope, audience: [WIKI] });
  await expect(200, 'DELETE /api/v1/token', { as });
  assert.equal((await verify(as, WIKI)).status, 401);
  assert.equal((await verify(other.as, WIKI)).status, 204);
});

test("an administrator's token revokes the tokens of a user only if it is for all programs", async (t) => {
  const { ada, root, create, call, expect } = await start(t);
  const { as: kept } = await create({}, ada);
  for (const [json, expected] of [
    [{ audience: [WIKI] }, 403], [{ scope: 'identity', audience: [WIKI] }, 403], [{}, 200],
  ] as const) {
    await expect(200, 'GET /api/v1/user', { as: kept });
    const { as } = await create(json, root);
    const { status } = await call('DELETE /api/v1/token?username=ada', { as });
    assert.equal(status, expected, JSON.stringify(json));
  }
  await expect(401, 'GET /api/v1/user', { as: kept });
});

test('a token for a program neither invites nor names an author, unlike one for all programs', async (t) => {
  const { root, create, call } = await start(t);
  for (const [json, status, author] of [[{ audience: [WIKI] }, 400, null], [{}, 201, 'root']] as const) {
    const { as } = await create(json, root);
    const email = 'bob@example.org';
    const invited = await call('POST /api/v1/users', { as, json: { username: 'bob', email } });
    assert.equal(invited.status, status, JSON.stringify(json));
    const username = `someone${status}`;
    await call('POST /api/v1/users', { as, json: { username, password: 'a password', email } });
    const { json: { audit_events: [event] } } = await call(
      'GET /api/v1/audit_events?action=user.create&sort=-id', { as: root },
    );
    assert.deepEqual([event.resource.name, event.user?.username ?? null], [username, author]);
  }
});

independent('a token for all programs can issue a token for one program', async ({ create }) => {
  const parent = await create({});
  const child = await create({ audience: [WIKI] }, parent.as);
  assert.deepEqual([child.status, child.json['audience']], [201, [WIKI]]);
});
