/**
 * Calls every route as every kind of caller. Parameters in paths stand for the user ada, her token or her
 * project. All tokens of a narrow scope belong to an administrator, so each refusal is due to the scope.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { operations, routes } from '../support/operations.ts';
import { startService, startWorld, type World } from '../support/service.ts';

type Statuses = readonly [
  self: number, other: number, administrator: number, anonymous: number,
  readOnly: number, identity: number, link: number, disabled: number,
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
];

/** Callers 5, 6 and 7 have tokens of these scopes. */
const SCOPES = ['read_only', 'identity', 'set_password'] as const;

type Row = readonly [route: string, statuses: Statuses, request?: {
  readonly query?: string;
  readonly json?: object;
  readonly form?: string;
  readonly registration?: 'open' | 'closed';
}];

const ANYBODY: Statuses = [200, 200, 200, 200, 200, 200, 200, 200];
const READ: Statuses = [200, 200, 200, 401, 200, 403, 403, 401];
/** These operations also accept a token of the scope `identity`. */
const IDENTIFY: Statuses = [200, 200, 200, 401, 200, 200, 403, 401];
const CREATE: Statuses = [201, 201, 201, 401, 403, 403, 403, 401];
const OWN: Statuses = [200, 403, 200, 401, 403, 403, 403, 401];
/** These changes need the password of the caller (see 33-sign-in-kinds.test.ts). */
const OWN_BY_PASSWORD: Statuses = [403, 403, 200, 401, 403, 403, 403, 401];
const ADMINISTRATION: Statuses = [403, 403, 200, 401, 403, 403, 403, 401];
const INSPECT: Statuses = [403, 403, 200, 401, 200, 403, 403, 401];
const REVOKE: Statuses = [200, 200, 200, 401, 403, 403, 403, 401];

const NEW = { username: 'new', password: 'new-password', email: 'new@example.org' };

const USER = '/api/v1/users/{username_or_id}';
const PROJECT = '/api/v1/projects/{project_name_or_id}';

const ROWS: readonly Row[] = [
  ...[
    'GET /', 'OPTIONS /', 'GET /index', 'OPTIONS /index', 'GET /livez', 'GET /readyz',
    'GET /api/v1/openapi.json', 'GET /static/{filename}',
  ].map((route) => [route, ANYBODY] as const),
  // 21-metrics.test.ts sets METRICS=on, but this file does not
  ['GET /metrics', [404, 404, 404, 404, 404, 404, 404, 404]],
  ['POST /api/v1/token', CREATE],
  // every token except a password link can revoke itself
  ['DELETE /api/v1/token', [200, 200, 200, 401, 200, 200, 403, 401]],
  // the service ignores the parameter `username` unless the caller is an administrator
  ['DELETE /api/v1/token', REVOKE, { query: '?username=ada' }],
  ['GET /api/v1/tokens', READ],
  ['GET /api/v1/tokens', [200, 403, 200, 401, 200, 403, 403, 401], { query: '?username=ada' }],
  ['GET /api/v1/tokens', READ, { query: '?last_four=abcd' }],
  ['GET /api/v1/tokens', INSPECT, { query: '?all_users=true' }],
  ['GET /api/v1/tokens', READ, { query: '?all_users=false' }],
  ['POST /api/v1/tokens', CREATE, { json: { name: 'x' } }],
  ['DELETE /api/v1/tokens', REVOKE],
  ['DELETE /api/v1/tokens', OWN, { query: '?username=ada' }],
  ['GET /api/v1/tokens/{token_id}', [200, 404, 200, 401, 200, 403, 403, 401]],
  ['DELETE /api/v1/tokens/{token_id}', [200, 404, 200, 401, 403, 403, 403, 401]],
  ['GET /api/v1/user', IDENTIFY],
  [`POST ${USER}/password_link`, [403, 403, 201, 401, 403, 403, 403, 401]],
  // without `X-Forwarded-Method`, the service assumes a change, and refuses tokens of the scope `read_only`
  ['GET /api/v1/verify', [204, 204, 204, 401, 403, 204, 403, 401]],
  ['GET /api/v1/verify/{project_name_or_id}', [204, 403, 204, 401, 403, 204, 403, 401]],
  ['POST /api/v1/introspect', IDENTIFY, { form: 'token=x' }],
  ['GET /api/v1/users', READ],
  ['GET /api/v1/users', READ, { query: '?role=administrator&state=disabled' }],
  ['POST /api/v1/users', [201, 201, 201, 201, 201, 201, 201, 201], { json: NEW }],
  ['POST /api/v1/users', [403, 403, 201, 401, 403, 403, 403, 401], { json: NEW, registration: 'closed' }],
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
  ['POST /api/v1/projects', [201, 403, 201, 401, 403, 403, 403, 401], {
    json: { name: 'new', owner: 'ada' },
  }],
  [`GET ${PROJECT}`, READ],
  [`PATCH ${PROJECT}`, OWN, { json: { name: 'new' } }],
  [`PATCH ${PROJECT}`, ADMINISTRATION, { json: { owner: 'eve' } }],
  [`DELETE ${PROJECT}`, OWN],
  ['GET /api/v1/audit_events', INSPECT],
];

const BOTH_CHALLENGES = 'Basic realm="Rollcall", charset="UTF-8", Bearer realm="Rollcall"';

async function start(t: TestContext, registration: 'open' | 'closed' | undefined) {
  const world = await startWorld(t);
  await world.issueToken(world.ada);
  await world.createProject(world.ada, 'engine');
  const service = registration === 'closed' ? await startService(t, { registration }, world.database) : world;
  return { world, service };
}

for (const [route, statuses, { query = '', json, form, registration } = {}] of ROWS) {
  const members = json === undefined ? '' : ` with ${Object.keys(json).join(', ')}`;
  const line = `${route}${query}${members}${registration === undefined ? '' : ', registration closed,'}`;
  // spec 3-2, 3-3, 4.5-6, 5-5, 5-10
  test(`${line} by each caller: ${statuses.join(', ')}`, async (t) => {
    const { access, scopes } = Object.values(operations)
      .find(({ method, path }) => `${method} ${path}` === route) ?? assert.fail(route);
    const rule = registration === 'closed' ? 'administrator' : access === 'secret' ? 'public' : access;
    const target = route.replace('{username_or_id}', 'ada').replace('{project_name_or_id}', 'engine')
      .replace('{token_id}', '1').replace('{filename}', 'index.html');
    let started = await start(t, registration);
    for (const [index, getCredentials] of CALLERS.entries()) {
      const as = await getCredentials(started.world);
      const { headers, status, text } = await started.service.call(target + query, { as, json, form });
      assert.equal(status, statuses[index], `${index + 1}: ${text}`);
      if (status === 401) {
        assert.equal(headers['www-authenticate'], BOTH_CHALLENGES);
      }
      const refusal = status === 403 ? text : '';
      const isForAdministrators = refusal.includes('"Only an administrator may send this request"');
      assert.equal(isForAdministrators, index < 2 && rule === 'administrator', refusal);
      const scope = SCOPES[index - 4];
      const isTooNarrow = rule !== 'public' && scope !== undefined && !scopes.includes(scope);
      assert.ok(!isTooNarrow || refusal.includes('A token of the scope'), `${index + 1}: ${text}`);
      if (status < 300 && !route.startsWith('GET')) {
        // the call has changed the data, so the next caller gets a new service
        started = await start(t, registration);
      }
    }
  });
}

test('the table has exactly the routes of the service', () => {
  const listed = [...new Set(ROWS.map(([route]) => route))];
  assert.deepEqual(listed.sort(), routes.toSorted());
});
