/**
 * Calls every route as every kind of caller, and compares the outcome with the page of the reference, which
 * is made from the served document. Parameters in paths stand for the user ada, her token or her project. All
 * tokens of a narrow scope belong to an administrator, so each refusal is due to the scope.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Answer } from '../support/http-client.ts';
import type { Part } from '../support/api-document.ts';
import { routes } from '../support/operations.ts';
import { BEHIND_PROXY, startService, startWorld, type World } from '../support/service.ts';

const { toDescription } = await import(
  new URL('../../static/reference/description.js', import.meta.url).href
);

type Statuses = readonly [
  self: number, other: number, administrator: number, anonymous: number,
  readOnly: number, identity: number, link: number, disabled: number, forProgram: number,
];

/** The statuses of each row are in the order of these callers. */
const CALLERS: readonly ((world: World) => Promise<string | undefined>)[] = [
  ({ ada, issueToken }) => issueToken(ada), async ({ eve }) => eve, async ({ root }) => root,
  async () => undefined, ({ root, issueScoped }) => issueScoped(root, 'read_only'),
  ({ root, issueScoped }) => issueScoped(root, 'identity'), ({ root, makeLink }) => makeLink(root, 'root'),
  async ({ ada: as, expect, issueToken, root }) => {
    const token = await issueToken(as);
    await expect(200, 'PATCH /api/v1/users/ada', { as: root, json: { disabled: true } });
    return token;
  },
  async ({ root: as, call }) => {
    const answer = await call('POST /api/v1/tokens', { as, json: { audience: ['wiki.example.org'] } });
    return `Bearer ${answer.json['token']}`;
  },
];

const SETTINGS = {
  'registration closed': { registration: 'closed' },
  'METRICS=on': { metrics: 'on' },
  'METRICS_TOKEN set': { metrics: 'on', metricsToken: 'scrape-me' },
  'without a trusted proxy': { trustedProxies: undefined },
} as const;

/** Callers 5, 6 and 7 have tokens of these scopes. */
const SCOPES = ['read_only', 'identity', 'set_password'] as const;

type Row = readonly [route: string, statuses: Statuses, request?: {
  readonly query?: string;
  readonly json?: object;
  readonly form?: string;
  readonly settings?: keyof typeof SETTINGS;
}];

const ANYBODY: Statuses = [200, 200, 200, 200, 200, 200, 200, 200, 200];
const READ: Statuses = [200, 200, 200, 401, 200, 403, 403, 401, 403];
/** The statuses of operations that also accept a token of the scope `identity`. */
const IDENTIFY: Statuses = [200, 200, 200, 401, 200, 200, 403, 401, 403];
const CREATE: Statuses = [201, 201, 201, 401, 403, 403, 403, 401, 403];
const OWN: Statuses = [200, 403, 200, 401, 403, 403, 403, 401, 403];
/** The statuses of changes that need the password of the caller (see 33-sign-in-kinds.test.ts). */
const OWN_BY_PASSWORD: Statuses = [403, 403, 200, 401, 403, 403, 403, 401, 403];
const ADMINISTRATION: Statuses = [403, 403, 200, 401, 403, 403, 403, 401, 403];
const INSPECT: Statuses = [403, 403, 200, 401, 200, 403, 403, 401, 403];
const REVOKE: Statuses = [200, 200, 200, 401, 403, 403, 403, 401, 403];

const NEW = { username: 'new', password: 'new-password', email: 'new@example.org' };

/** Caller 9 has a token for this host, so the host is not the reason for a refusal. */
const FORWARDED = { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Host': 'wiki.example.org' };
const DIRECT = { settings: 'without a trusted proxy' } as const;

const USER = '/api/v1/users/{username_or_id}';
const PROJECT = '/api/v1/projects/{project_name_or_id}';

const ROWS: readonly Row[] = [
  ...[
    'GET /', 'OPTIONS /', 'GET /index', 'OPTIONS /index', 'GET /livez', 'GET /readyz',
    'GET /api/v1/openapi.json', 'GET /static/{filename}',
  ].map((route) => [route, ANYBODY] as const),
  ['GET /metrics', ANYBODY, { settings: 'METRICS=on' }],
  ['GET /metrics', [401, 401, 401, 401, 401, 401, 401, 401, 401], { settings: 'METRICS_TOKEN set' }],
  ['POST /api/v1/token', CREATE],
  // every token except a password link can revoke itself
  ['DELETE /api/v1/token', [200, 200, 200, 401, 200, 200, 403, 401, 200]],
  // the service ignores the parameter `username` unless the caller is an administrator
  ['DELETE /api/v1/token', REVOKE, { query: '?username=ada' }],
  ['GET /api/v1/tokens', READ],
  ['GET /api/v1/tokens', [200, 403, 200, 401, 200, 403, 403, 401, 403], { query: '?username=ada' }],
  ['GET /api/v1/tokens', READ, { query: '?last_four=abcd' }],
  ['GET /api/v1/tokens', INSPECT, { query: '?all_users=true' }],
  ['GET /api/v1/tokens', READ, { query: '?all_users=false' }],
  ['POST /api/v1/tokens', CREATE, { json: { name: 'x' } }],
  ['DELETE /api/v1/tokens', REVOKE],
  ['DELETE /api/v1/tokens', OWN, { query: '?username=ada' }],
  ['GET /api/v1/tokens/{token_id}', [200, 404, 200, 401, 200, 403, 403, 401, 403]],
  ['DELETE /api/v1/tokens/{token_id}', [200, 404, 200, 401, 403, 403, 403, 401, 403]],
  ['GET /api/v1/user', IDENTIFY],
  [`POST ${USER}/password_link`, [403, 403, 201, 401, 403, 403, 403, 401, 403]],
  // without a trusted proxy, the service treats the request as a change, and refuses `read_only` tokens
  ['GET /api/v1/verify', [204, 204, 204, 401, 403, 204, 403, 401, 403], DIRECT],
  ['GET /api/v1/verify/{project_name_or_id}', [204, 403, 204, 401, 403, 204, 403, 401, 403], DIRECT],
  ['GET /api/v1/verify', [204, 204, 204, 401, 204, 204, 403, 401, 204]],
  ['GET /api/v1/verify/{project_name_or_id}', [204, 403, 204, 401, 204, 204, 403, 401, 204]],
  ['POST /api/v1/introspect', IDENTIFY, { form: 'token=x' }],
  ['GET /api/v1/users', READ],
  ['GET /api/v1/users', READ, { query: '?role=administrator&state=disabled' }],
  ['POST /api/v1/users', [201, 201, 201, 201, 201, 201, 201, 201, 201], { json: NEW }],
  ['POST /api/v1/users', [403, 403, 201, 401, 403, 403, 403, 401, 403], {
    json: NEW, settings: 'registration closed',
  }],
  [`GET ${USER}`, READ],
  [`PATCH ${USER}`, OWN, { json: { email: 'new@example.org' } }],
  [`PATCH ${USER}`, OWN_BY_PASSWORD, { json: { username: 'new' } }],
  [`PATCH ${USER}`, ADMINISTRATION, { json: { is_admin: true } }],
  [`PATCH ${USER}`, ADMINISTRATION, { json: { disabled: true } }],
  [`DELETE ${USER}`, OWN_BY_PASSWORD, { query: '?owned_projects=delete' }],
  [`DELETE ${USER}`, ADMINISTRATION, { query: '?owned_projects=transfer&new_owner=eve' }],
  // a link can set only the password of its user (see 31-password-links.test.ts)
  [`PUT ${USER}/password`, OWN, { json: { password: 'new', current_password: 'ada-password' } }],
  ['GET /api/v1/projects', READ],
  ['POST /api/v1/projects', CREATE, { json: { name: 'new' } }],
  ['POST /api/v1/projects', [201, 403, 201, 401, 403, 403, 403, 401, 403], {
    json: { name: 'new', owner: 'ada' },
  }],
  [`GET ${PROJECT}`, READ],
  [`PATCH ${PROJECT}`, OWN, { json: { name: 'new' } }],
  [`PATCH ${PROJECT}`, ADMINISTRATION, { json: { owner: 'eve' } }],
  [`DELETE ${PROJECT}`, OWN],
  ['GET /api/v1/audit_events', INSPECT],
];

/** The title of a problem. */
const FOR_PROGRAMS = 'The token is valid only for certain programs';
const BOTH_CHALLENGES = 'Basic realm="Rollcall", charset="UTF-8", Bearer realm="Rollcall"';

async function start(t: TestContext, settings: keyof typeof SETTINGS | undefined) {
  const world = await startWorld(t, BEHIND_PROXY);
  await world.issueToken(world.ada);
  await world.createProject(world.ada, 'engine');
  const service = settings === undefined ? world
    : await startService(t, { ...BEHIND_PROXY, ...SETTINGS[settings] }, world.database);
  return { world, service };
}

/** Returns the sentences of the page about a request. The last sentence has the titles of all refusals. */
async function readPage(call: World['call'], [route, , { query = '', settings } = {}]: Row) {
  const { operations } = toDescription((await call('GET /api/v1/openapi.json')).json);
  const page: Part = operations.find(({ method, path }: Part) => `${method} ${path}` === route);
  const refusal: Part | undefined = page['answers'].find((answer: Part) => answer['status'] === '403');
  const proxy = settings === DIRECT.settings ? 'Through a trusted proxy' : 'Without a trusted proxy';
  return [...`${page['callers']} ${page['description']}`.split(/(?<=\.) /), String(refusal?.['description'])]
    .filter((sentence) => !sentence.startsWith(proxy))
    .filter((sentence) => !sentence.startsWith('With `username`') || query.includes('username='));
}

/** Returns the reason that the page gives for refusing a caller. If the page gives none, returns nothing. */
function findRefusal(page: readonly string[], caller: number): string | undefined {
  const [callers = ''] = page;
  const kind = SCOPES[caller - 4] ?? (caller === 8 ? 'audience' : 'full');
  const named = page.filter((sentence) => sentence.includes(`\`${kind}\``));
  const isForPrograms = kind === 'audience' && named.length === 0 && page.at(-1)?.includes(FOR_PROGRAMS);
  return callers.startsWith('Anyone') ? undefined
    : callers.startsWith('Only clients') || caller === 3 || caller === 7 ? 'unauthenticated'
    : isForPrograms || named.some((sentence) => /cannot call|gets? 403/.test(sentence)) ? kind
    : callers === 'Only administrators.' && caller < 2 ? 'administrator'
    : undefined;
}

/** Returns why the service has refused a caller, in the words of `findRefusal`. */
function toRefusal({ status, headers, text }: Answer, caller: number): string | undefined {
  return headers['www-authenticate'] === BOTH_CHALLENGES ? 'unauthenticated'
    : status !== 403 ? undefined
    : text.includes('"A token of the scope') ? SCOPES[caller - 4]
    : text.includes(`"${FOR_PROGRAMS}`) ? 'audience'
    : text.includes('"Only an administrator may send this request"') ? 'administrator'
    : undefined;
}

for (const row of ROWS) {
  const [route, statuses, { query = '', settings, ...request } = {}] = row;
  const members = request.json === undefined ? '' : ` with ${Object.keys(request.json).join(', ')}`;
  const line = `${route}${query}${members}${settings === undefined ? '' : `, ${settings},`}`;
  // spec 3-2, 3-3, 4.5-6, 5-5, 5-10
  test(`${line} by each caller: ${statuses.join(', ')}`, async (t) => {
    const target = route.replace('{username_or_id}', 'ada').replace('{project_name_or_id}', 'engine')
      .replace('{token_id}', '1').replace('{filename}', 'index.html');
    let started = await start(t, settings);
    const page = await readPage(started.service.call, row);
    assert.ok(!page.includes('Only an administrator may send this request.'), page.join(' '));
    for (const [caller, getCredentials] of CALLERS.entries()) {
      const as = await getCredentials(started.world);
      const answer = await started.service.call(target + query, { as, headers: FORWARDED, ...request });
      const { status, text } = answer;
      const title = `${caller + 1}: ${text.slice(0, 300)}`;
      assert.equal(status, statuses[caller], title);
      const refusal = toRefusal(answer, caller);
      assert.equal(refusal, findRefusal(page, caller), title);
      const isOther = status === 403 && refusal === undefined && text.includes('#forbidden"');
      assert.ok(!isOther || page.includes(`${answer.json['detail']}.`), title);
      if (status < 300 && !route.startsWith('GET')) {
        // the call has changed the data, so the next caller gets a new service
        started = await start(t, settings);
      }
    }
    // the page names the owner if, and only if, the usual request of another user is refused
    if (ROWS.find(([first]) => first === route) === row) {
      const isForOwner = /Only administrators|nly their own|their own tokens/.test(page.join(' '));
      assert.equal(statuses[1] >= 400, isForOwner, page.join(' '));
    }
  });
}

test('the table has exactly the routes of the service', () => {
  assert.deepEqual([...new Set(ROWS.map(([route]) => route))].sort(), routes.toSorted());
});
