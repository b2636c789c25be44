/** The rights table: every route of the service for every kind of caller, with a test for each cell. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routes } from '../support/operations.ts';
import { people, startService, type TestService, type World } from '../support/service.ts';

/** The users who call every route. The user, the token and the project in the routes are ada's. */
const CALLERS = [
  'token of ada', 'other user', 'administrator', 'anonymous', 'read-only token of ada', 'ada, disabled',
] as const;

type Statuses = readonly [
  self: number, other: number, administrator: number, anonymous: number, readOnly: number, disabled: number,
];

interface Row {
  /** Method and template of the path, as in the table of routes. */
  readonly route: string;
  /** The query string of the request. */
  readonly query?: string;
  readonly json?: object;
  readonly form?: string;
  readonly registration?: 'open' | 'closed';
  readonly statuses: Statuses;
}

const ANYBODY: Statuses = [200, 200, 200, 200, 200, 200];
const READ: Statuses = [200, 200, 200, 401, 200, 401];
const CREATE: Statuses = [201, 201, 201, 401, 403, 401];
const OWN: Statuses = [200, 403, 200, 401, 403, 401];
/** 403 with a token; with her password, ada may do this: see 13-people.test.ts. */
const OWN_BY_PASSWORD: Statuses = [403, 403, 200, 401, 403, 401];
const ADMINISTRATION: Statuses = [403, 403, 200, 401, 403, 401];

const NEW = { username: 'new', password: 'new-password', email: 'new@example.org' };
const PASSWORDS = { password: 'new password', current_password: 'ada-password' };

const ROWS: readonly Row[] = [
  { route: 'GET /', statuses: ANYBODY },
  { route: 'OPTIONS /', statuses: ANYBODY },
  { route: 'GET /index', statuses: ANYBODY },
  { route: 'OPTIONS /index', statuses: ANYBODY },
  { route: 'GET /livez', statuses: ANYBODY },
  { route: 'GET /readyz', statuses: ANYBODY },
  // METRICS is off here; for METRICS=on, see 21-metrics.test.ts
  { route: 'GET /metrics', statuses: [404, 404, 404, 404, 404, 404] },
  { route: 'POST /api/v1/token', statuses: CREATE },
  { route: 'DELETE /api/v1/token', statuses: [200, 200, 200, 401, 403, 401] },
  // the service ignores `username` unless the caller is an administrator
  { route: 'DELETE /api/v1/token', query: '?username=ada', statuses: [200, 200, 200, 401, 403, 401] },
  { route: 'GET /api/v1/tokens', statuses: READ },
  { route: 'GET /api/v1/tokens', query: '?username=ada', statuses: [200, 403, 200, 401, 200, 401] },
  { route: 'GET /api/v1/tokens', query: '?last_four=abcd', statuses: READ },
  { route: 'GET /api/v1/tokens', query: '?all_users=true', statuses: [403, 403, 200, 401, 403, 401] },
  { route: 'GET /api/v1/tokens', query: '?all_users=false', statuses: READ },
  { route: 'POST /api/v1/tokens', json: { name: 'x' }, statuses: CREATE },
  { route: 'DELETE /api/v1/tokens', statuses: [200, 200, 200, 401, 403, 401] },
  { route: 'DELETE /api/v1/tokens', query: '?username=ada', statuses: OWN },
  { route: 'GET /api/v1/tokens/{token_id}', statuses: [200, 404, 200, 401, 200, 401] },
  { route: 'DELETE /api/v1/tokens/{token_id}', statuses: [200, 404, 200, 401, 403, 401] },
  { route: 'GET /api/v1/user', statuses: READ },
  { route: 'POST /api/v1/users/{username_or_id}/password_link', statuses: [403, 403, 201, 401, 403, 401] },
  // without X-Forwarded-Method of a trusted proxy, the method is unknown: see extras/verify
  { route: 'GET /api/v1/verify', statuses: [204, 204, 204, 401, 403, 401] },
  { route: 'GET /api/v1/verify/{project_name_or_id}', statuses: [204, 403, 204, 401, 403, 401] },
  { route: 'POST /api/v1/introspect', form: 'token=x', statuses: READ },
  { route: 'GET /api/v1/users', statuses: READ },
  { route: 'GET /api/v1/users', query: '?role=administrator&state=disabled', statuses: READ },
  { route: 'POST /api/v1/users', json: NEW, statuses: [201, 201, 201, 201, 201, 201] },
  {
    route: 'POST /api/v1/users', json: NEW, registration: 'closed', statuses: [403, 403, 201, 401, 403, 401],
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
  { route: 'PUT /api/v1/users/{username_or_id}/password', json: PASSWORDS, statuses: OWN },
  { route: 'GET /api/v1/projects', statuses: READ },
  { route: 'POST /api/v1/projects', json: { name: 'new' }, statuses: CREATE },
  { route: 'POST /api/v1/projects', json: { name: 'new', owner: 'ada' }, statuses: [
    201, 403, 201, 401, 403, 401,
  ] },
  { route: 'GET /api/v1/projects/{project_name_or_id}', statuses: READ },
  { route: 'PATCH /api/v1/projects/{project_name_or_id}', json: { name: 'new' }, statuses: OWN },
  { route: 'PATCH /api/v1/projects/{project_name_or_id}', json: { owner: 'eve' }, statuses: ADMINISTRATION },
  { route: 'DELETE /api/v1/projects/{project_name_or_id}', statuses: OWN },
  { route: 'GET /api/v1/audit_events', statuses: ADMINISTRATION },
  { route: 'GET /api/v1/openapi.json', statuses: ANYBODY },
  { route: 'GET /static/{filename}', statuses: ANYBODY },
];

/** Ada owns token 1 and the project "engine". @returns Credentials of each caller. */
async function prepare({ ada, eve, root, createProject, issueScoped, issueToken }: World) {
  await createProject(ada, 'engine');
  return {
    'read-only token of ada': await issueScoped(ada, 'read_only'),
    'token of ada': await issueToken(ada),
    'other user': eve,
    'administrator': root,
    'anonymous': undefined,
    'ada, disabled': ada,
  };
}

function disableAda({ expect, root: as }: World) {
  return expect(200, 'PATCH /api/v1/users/ada', { as, json: { disabled: true } });
}

const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

function send({ call }: TestService, as: string | undefined, { route, query = '', json, form }: Row) {
  const target = route.replace('{username_or_id}', 'ada').replace('{project_name_or_id}', 'engine')
    .replace('{token_id}', '1').replace('{filename}', 'index.html');
  return call(target + query, { as, ...(form ? { body: form, headers: FORM_TYPE } : { json }) });
}

for (const row of ROWS) {
  const { route, query = '', json, registration = 'open', statuses } = row;
  CALLERS.forEach((caller, index) => {
    const body = json === undefined ? '' : ` with ${Object.keys(json).join(', ')}`;
    const closed = registration === 'closed' ? ', registration closed,' : '';
    // spec 4.5-6, 5-10
    people(`${route}${query}${body}${closed} by ${caller} is ${statuses[index]}`, async (world, t) => {
      const credentials = await prepare(world);
      if (caller === 'ada, disabled') {
        await disableAda(world);
      }
      const service = closed ? await startService(t, { registration }, world.database) : world;
      const answer = await send(service, credentials[caller], row);
      assert.equal(answer.status, statuses[index], answer.text);
    });
  });
}

test('the table has exactly the routes of the service', () => {
  const listed = [...new Set(ROWS.map(({ route }) => route))];
  assert.deepEqual(listed.sort(), routes.toSorted());
});

// spec 3-4
people('every token of a disabled user is refused', async (world) => {
  const credentials = await prepare(world);
  await disableAda(world);
  const tokens = [credentials['token of ada'], credentials['read-only token of ada']];
  assert.deepEqual(await world.signIn(...tokens), [401, 401]);
});
