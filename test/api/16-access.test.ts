/**
 * Tests the table of rights: every route of the service for every kind of caller. The routes name ada, the
 * token of ada and the project of ada. The tokens of narrow scopes belong to an administrator, so only their
 * scope can cause a refusal.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { operations, routes } from '../support/operations.ts';
import { people, startService, startWorld, type World } from '../support/service.ts';

type Statuses = readonly [
  self: number, other: number, administrator: number, anonymous: number,
  readOnly: number, identity: number, link: number, disabled: number,
];

/** The callers, in the order of the statuses in each row. @returns The credentials of the caller. */
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

/** The scopes of the tokens of the fifth, sixth and seventh callers. */
const SCOPES = ['read_only', 'identity', 'set_password'] as const;

interface Row {
  /** The method and the path template, as the router lists them. */
  readonly route: string;
  /** The query string of the request. */
  readonly query?: string;
  readonly json?: object;
  readonly form?: string;
  readonly registration?: 'open' | 'closed';
  readonly statuses: Statuses;
}

const ANYBODY: Statuses = [200, 200, 200, 200, 200, 200, 200, 200];
const READ: Statuses = [200, 200, 200, 401, 200, 403, 403, 401];
/** Statuses of operations for programs that check tokens. Such a program may also use an identity token. */
const IDENTIFY: Statuses = [200, 200, 200, 401, 200, 200, 403, 401];
const CREATE: Statuses = [201, 201, 201, 401, 403, 403, 403, 401];
const OWN: Statuses = [200, 403, 200, 401, 403, 403, 403, 401];
/**
 * Statuses of changes that need the password. With the password, ada may make these changes (see
 * 13-people.test.ts).
 */
const OWN_BY_PASSWORD: Statuses = [403, 403, 200, 401, 403, 403, 403, 401];
const ADMINISTRATION: Statuses = [403, 403, 200, 401, 403, 403, 403, 401];
const INSPECT: Statuses = [403, 403, 200, 401, 200, 403, 403, 401];
const REVOKE: Statuses = [200, 200, 200, 401, 403, 403, 403, 401];

const NEW = { username: 'new', password: 'new-password', email: 'new@example.org' };
const PASSWORDS = { password: 'new password', current_password: 'ada-password' };

const ROWS: readonly Row[] = [
  { route: 'GET /', statuses: ANYBODY },
  { route: 'OPTIONS /', statuses: ANYBODY },
  { route: 'GET /index', statuses: ANYBODY },
  { route: 'OPTIONS /index', statuses: ANYBODY },
  { route: 'GET /livez', statuses: ANYBODY },
  { route: 'GET /readyz', statuses: ANYBODY },
  // METRICS is off here; 21-metrics.test.ts tests METRICS=on
  { route: 'GET /metrics', statuses: [404, 404, 404, 404, 404, 404, 404, 404] },
  { route: 'POST /api/v1/token', statuses: CREATE },
  { route: 'DELETE /api/v1/token', statuses: REVOKE },
  // the service ignores `username` unless the caller is an administrator
  { route: 'DELETE /api/v1/token', query: '?username=ada', statuses: REVOKE },
  { route: 'GET /api/v1/tokens', statuses: READ },
  { route: 'GET /api/v1/tokens', query: '?username=ada', statuses: [200, 403, 200, 401, 200, 403, 403, 401] },
  { route: 'GET /api/v1/tokens', query: '?last_four=abcd', statuses: READ },
  { route: 'GET /api/v1/tokens', query: '?all_users=true', statuses: INSPECT },
  { route: 'GET /api/v1/tokens', query: '?all_users=false', statuses: READ },
  { route: 'POST /api/v1/tokens', json: { name: 'x' }, statuses: CREATE },
  { route: 'DELETE /api/v1/tokens', statuses: REVOKE },
  { route: 'DELETE /api/v1/tokens', query: '?username=ada', statuses: OWN },
  { route: 'GET /api/v1/tokens/{token_id}', statuses: [200, 404, 200, 401, 200, 403, 403, 401] },
  { route: 'DELETE /api/v1/tokens/{token_id}', statuses: [200, 404, 200, 401, 403, 403, 403, 401] },
  { route: 'GET /api/v1/user', statuses: IDENTIFY },
  {
    route: 'POST /api/v1/users/{username_or_id}/password_link',
    statuses: [403, 403, 201, 401, 403, 403, 403, 401],
  },
  // the method is unknown without X-Forwarded-Method of a trusted proxy (see extras/verify)
  { route: 'GET /api/v1/verify', statuses: [204, 204, 204, 401, 403, 204, 403, 401] },
  {
    route: 'GET /api/v1/verify/{project_name_or_id}',
    statuses: [204, 403, 204, 401, 403, 204, 403, 401],
  },
  { route: 'POST /api/v1/introspect', form: 'token=x', statuses: IDENTIFY },
  { route: 'GET /api/v1/users', statuses: READ },
  { route: 'GET /api/v1/users', query: '?role=administrator&state=disabled', statuses: READ },
  { route: 'POST /api/v1/users', json: NEW, statuses: [201, 201, 201, 201, 201, 201, 201, 201] },
  {
    route: 'POST /api/v1/users', json: NEW, registration: 'closed',
    statuses: [403, 403, 201, 401, 403, 403, 403, 401],
  },
  { route: 'GET /api/v1/users/{username_or_id}', statuses: READ },
  { route: 'PATCH /api/v1/users/{username_or_id}', json: { email: 'new@example.org' }, statuses: OWN },
  { route: 'PATCH /api/v1/users/{username_or_id}', json: { username: 'new' }, statuses: OWN_BY_PASSWORD },
  { route: 'PATCH /api/v1/users/{username_or_id}', json: { is_admin: true }, statuses: ADMINISTRATION },
  { route: 'PATCH /api/v1/users/{username_or_id}', json: { disabled: false }, statuses: ADMINISTRATION },
  {
    route: 'DELETE /api/v1/users/{username_or_id}', query: '?owned_projects=delete',
    statuses: OWN_BY_PASSWORD,
  },
  {
    route: 'DELETE /api/v1/users/{username_or_id}', query: '?owned_projects=transfer&new_owner=eve',
    statuses: ADMINISTRATION,
  },
  // a link can set only the password of its user (see 31-password-links.test.ts)
  { route: 'PUT /api/v1/users/{username_or_id}/password', json: PASSWORDS, statuses: OWN },
  { route: 'GET /api/v1/projects', statuses: READ },
  { route: 'POST /api/v1/projects', json: { name: 'new' }, statuses: CREATE },
  { route: 'POST /api/v1/projects', json: { name: 'new', owner: 'ada' }, statuses: [
    201, 403, 201, 401, 403, 403, 403, 401,
  ] },
  { route: 'GET /api/v1/projects/{project_name_or_id}', statuses: READ },
  { route: 'PATCH /api/v1/projects/{project_name_or_id}', json: { name: 'new' }, statuses: OWN },
  { route: 'PATCH /api/v1/projects/{project_name_or_id}', json: { owner: 'eve' }, statuses: ADMINISTRATION },
  { route: 'DELETE /api/v1/projects/{project_name_or_id}', statuses: OWN },
  { route: 'GET /api/v1/audit_events', statuses: INSPECT },
  { route: 'GET /api/v1/openapi.json', statuses: ANYBODY },
  { route: 'GET /static/{filename}', statuses: ANYBODY },
];

const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };
/**
 * The path of verification. Below this path, the scope of a token must allow the method that a proxy
 * forwards.
 */
const VERIFY = '/api/v1/verify';

const operationOf = (route: string) => Object.values(operations)
  .find(({ method, path }) => `${method} ${path}` === route) ?? assert.fail(route);

/** Starts a service in which ada owns token 1 and the project "engine". */
async function start(t: TestContext, registration: Row['registration']) {
  const world = await startWorld(t);
  await world.issueToken(world.ada);
  await world.createProject(world.ada, 'engine');
  const service = registration === 'closed' ? await startService(t, { registration }, world.database) : world;
  return { world, service };
}

for (const row of ROWS) {
  const { route, query = '', json, form, registration, statuses } = row;
  const members = json === undefined ? '' : ` with ${Object.keys(json).join(', ')}`;
  const line = `${route}${query}${members}${registration === undefined ? '' : ', registration closed,'}`;
  // spec 4.5-6, 5-10
  test(`${line} by each caller: ${statuses.join(', ')}`, async (t) => {
    const { access, path, scopes } = operationOf(route);
    const rule = registration === 'closed' ? 'administrator' : access === 'secret' ? 'public' : access;
    const target = route.replace('{username_or_id}', 'ada').replace('{project_name_or_id}', 'engine')
      .replace('{token_id}', '1').replace('{filename}', 'index.html');
    let started = await start(t, registration);
    for (const [index, getCredentials] of CALLERS.entries()) {
      const as = await getCredentials(started.world);
      const { status, text } = await started.service.call(target + query, {
        as, ...(form === undefined ? { json } : { body: form, headers: FORM_TYPE }),
      });
      assert.equal(status, statuses[index], `${index + 1}: ${text}`);
      const refusal = status === 403 ? text : '';
      const isForAdministrators = refusal.includes('"Only an administrator may do this"');
      assert.equal(isForAdministrators, index < 2 && rule === 'administrator', refusal);
      const scope = SCOPES[index - 4];
      const isByMethod = path.startsWith(VERIFY) && scope === 'read_only'; // no proxy forwards a method here
      const mayCall = rule === 'public' || scope === undefined || (scopes.includes(scope) && !isByMethod);
      assert.equal(refusal.includes('A token of the scope'), !mayCall, refusal);
      if (status < 300 && !route.startsWith('GET')) {
        started = await start(t, registration); // the next caller gets a new service without this change
      }
    }
  });
}

test('the table has exactly the routes of the service', () => {
  const listed = [...new Set(ROWS.map(({ route }) => route))];
  assert.deepEqual(listed.sort(), routes.toSorted());
});

// spec 3-4
people('every token of a disabled user is refused', async (world) => {
  const { ada, expect, issueScoped, issueToken, root: as } = world;
  const tokens = [await issueToken(ada), await issueScoped(ada, 'read_only')];
  await expect(200, 'PATCH /api/v1/users/ada', { as, json: { disabled: true } });
  assert.deepEqual(await world.signIn(...tokens), [401, 401]);
});
