import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { each, type Overrides } from '../../support/each.ts';
import { basic, BEHIND_PROXY, occupyHashes, shared, startWorld } from '../../support/service.ts';

/** If `isTrusted` is true, the service treats the test as a trusted proxy. */
async function start(
  t: TestContext, { isTrusted = true, ...settings }: Overrides & { readonly isTrusted?: boolean } = {},
) {
  const world = await startWorld(t, { ...(isTrusted && BEHIND_PROXY), ...settings });
  await world.createProject(world.ada, 'notes');
  await world.createProject(world.eve, 'Ünï code');
  const verify = (as: string | undefined, headers = {}, path = '') =>
    world.call(`GET /api/v1/verify${path}`, { as, headers });
  const [readOnly, identity] = [
    await world.issueScoped(world.ada, 'read_only'), await world.issueScoped(world.ada, 'identity'),
  ];
  return { ...world, readOnly, identity, verify };
}

const peers = shared(async (t) => (
  { trusted: await start(t), untrusted: await start(t, { isTrusted: false }) }
));

const FIELDS = ['remote-user-id', 'remote-user', 'remote-email', 'remote-groups'];

peers('verify is 204 with all four fields, and Remote-Groups is empty for a plain user', async (services) => {
  const { call, root, ada, verify } = services.trusted;
  const answer = await verify(ada);
  assert.deepEqual([answer.status, answer.text], [204, '']);
  assert.deepEqual(FIELDS.map((name) => answer.headers[name]), ['1', 'ada', 'ada@example.org', '']);
  assert.equal((await verify(root)).headers['remote-groups'], 'administrators');
  assert.equal((await call('HEAD /api/v1/verify', { as: ada })).headers['remote-user'], 'ada');
});

peers.each('X-Forwarded-Method {0} lets an identity token pass, and a read-only token: {1}', [
  ['GET', 204], ['HEAD', 204], ['OPTIONS', 204], ['POST', 403], ['DELETE', 403], ['TRACE', 403],
  ['get', 403], ['', 403], [undefined, 403], [['GET', 'GET'], 403], ['GET, POST', 403],
  ['x'.repeat(2_000), 403],
  ['PROPFIND', 204], ['REPORT', 204], ['propfind', 403], ['PROPPATCH', 403], ['MKCALENDAR', 403],
  ['SEARCH', 403], ['LOCK', 403], ['COPY', 403], ['PUT', 403], ['PATCH', 403], ['CONNECT', 403],
], async ({ trusted: { identity, readOnly, verify } }, [method, expected]) => {
  for (const path of ['', '/notes']) {
    const headers = method === undefined ? {} : { 'X-Forwarded-Method': method };
    const answer = await verify(readOnly, headers, path);
    assert.equal(answer.status, expected, answer.text);
    assert.equal((await verify(identity, headers, path)).headers['remote-user'], 'ada');
  }
});

peers('X-Forwarded-Method of an untrusted peer counts for nothing', async ({ untrusted }) => {
  const { ada, readOnly, verify } = untrusted;
  assert.equal((await verify(readOnly, { 'X-Forwarded-Method': 'GET' })).status, 403);
  assert.equal((await verify(ada, { 'X-Forwarded-Method': 'POST' })).status, 204);
});

const POST = { 'X-Forwarded-Method': 'POST', 'Host': 'rollcall' };
const HOST = 'wiki.example.org';
const ORIGIN = `https://${HOST}`;

peers.each('with Basic credentials, POST with {2} from a peer that is {1} is {0}', [
  [204, 'trusted', { 'X-Forwarded-Host': 'wiki.example.org', 'Origin': ORIGIN }],
  [204, 'trusted', { 'X-Forwarded-Host': 'Wiki.Example.org', 'Origin': ORIGIN }],
  [403, 'trusted', { 'X-Forwarded-Host': 'other.example', 'Origin': ORIGIN }],
  [403, 'trusted', { 'X-Forwarded-Host': [HOST, HOST], 'Origin': ORIGIN }],
  [403, 'trusted', { 'Origin': ORIGIN }],
  [403, 'trusted', { 'Origin': 'null' }],
  [204, 'trusted', { 'Origin': 'http://rollcall' }],
  [403, 'untrusted', { 'X-Forwarded-Host': 'wiki.example.org', 'Origin': ORIGIN }],
  [204, 'untrusted', { 'Origin': 'http://rollcall' }],
  [403, 'trusted', { 'Sec-Fetch-Site': 'cross-site' }],
  [403, 'trusted', { 'Sec-Fetch-Site': 'cross-site', 'Content-Type': 'application/json' }],
  [403, 'trusted', { 'Sec-Fetch-Site': 'same-site', 'X-Requested-With': 'fetch' }],
  [403, 'trusted', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' }],
  [204, 'trusted', { 'Sec-Fetch-Site': 'none' }],
  [204, 'trusted', { 'X-Forwarded-Method': 'GET', 'Sec-Fetch-Site': 'cross-site' }],
], async (services, [expected, peer, headers]) => {
  const { ada, verify } = services[peer];
  for (const path of ['', '/notes']) {
    const answer = await verify(ada, { ...POST, ...headers }, path);
    assert.equal(answer.status, expected, answer.text);
  }
});

test('CORS_ORIGIN may call the service, and still may not change what is behind a proxy', async (t) => {
  const { ada, verify } = await start(t, { isTrusted: false, corsOrigin: ORIGIN });
  assert.equal((await verify(ada, { ...POST, 'Origin': ORIGIN })).status, 403);
});

test('a throttled password is 403 with Retry-After here, and 429 elsewhere', async (t) => {
  const { expect, ada, readOnly, verify } = await start(t);
  for (let count = 0; count < 120; count += 1) {
    await verify(basic('ada', `wrong ${count}`));
  }
  const { status, headers, json } = await verify(ada);
  assert.deepEqual([status, json['type']], [403, '/static/problems.html#sign-in-postponed']);
  assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
  await expect(429, 'GET /api/v1/user', { as: ada });
  assert.equal((await verify(readOnly, { 'X-Forwarded-Method': 'GET' })).status, 204);
});

test('a password that cannot be checked soon is 403 with Retry-After', async (t) => {
  const { queues, verify } = await start(t, { passwordWaitMs: 0 });
  const { release } = occupyHashes({ queues });
  const { status, headers } = await verify(basic('nobody', 'x'));
  release();
  assert.equal(status, 403);
  assert.match(String(headers['retry-after']), /^\d+$/);
});

test('verify reads less often than GET /api/v1/user, with a password and with a token', async (t) => {
  const { ada, call, database, issueToken } = await start(t);
  const { mock } = t.mock.method(database, 'read');
  const countReads = async (path: string, as: string): Promise<number> => {
    await call(`GET ${path}`, { as });
    mock.resetCalls();
    await call(`GET ${path}`, { as });
    return mock.callCount();
  };
  for (const as of [ada, await issueToken(ada)]) {
    const [verified, read] = [await countReads('/api/v1/verify', as), await countReads('/api/v1/user', as)];
    assert.ok(verified > 0 && verified < read, `${verified} reads instead of ${read}`);
  }
});

each('with the directory {0}, only the owner and administrators pass for a project', [
  'open', 'closed',
], async (directory, t) => {
  const { root, ada, eve, verify } = await start(t, { directory });
  for (const [path, as, expected] of [
    ['notes', ada, 204], ['NOTES', ada, 204], ['1', ada, 204], ['+1', ada, 204], ['notes', root, 204],
    ['notes?project=other&x=1', ada, 204], ['%C3%9Cn%C3%AF%20code', eve, 204],
    ['notes', eve, 403], ['1', eve, 403], ['none', ada, 403], ['99', ada, 403], ['none', root, 403],
    ['none?project=notes', ada, 403], ['notes%2Fx', ada, 403],
    ['notes', undefined, 401], ['notes', basic('ada', 'wrong'), 401],
    ['', ada, 404], ['notes/', ada, 404], ['notes/x', ada, 404],
  ] as const) {
    const answer = await verify(as, {}, `/${path}`);
    assert.equal(answer.status, expected, `${path} ${answer.text}`);
    const isNamed = 'remote-project' in answer.headers || 'remote-user' in answer.headers;
    assert.equal(isNamed, expected === 204, path);
  }
});

peers('verification of a project names the user and the project, in UTF-8', async ({ trusted }) => {
  const { headers } = await trusted.verify(trusted.eve, {}, '/2');
  const text = (name: string) => Buffer.from(String(headers[name]), 'latin1').toString();
  assert.deepEqual([...FIELDS, 'remote-project-id', 'remote-project'].map(text), [
    '2', 'eve', 'eve@example.org', '', '2', 'Ünï code',
  ]);
});
