/** The rights table: every route of the service for every kind of caller, with a test for each cell. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { routes } from '../support/operations.ts';
import { startService, type TestService } from '../support/service.ts';

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
  { route: 'POST /api/v1/users', json: account('new'), statuses: [201, 201, 201, 201, 201, 201] },
  { route: 'POST /api/v1/users', json: account('new'), registration: 'closed', statuses: [
    403, 403, 201, 401, 403, 401,
  ] },
  { route: 'GET /api/v1/users/{username_or_id}', statuses: READ },
  { route: 'PATCH /api/v1/users/{username_or_id}', json: { email: 'new@example.org' }, statuses: OWN },
  {
    route: 'PATCH /api/v1/users/{username_or_id}', json: { username: 'new' }, statuses: OWN_BY_PASSWORD,
  },
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

function account(username: string) {
  return { username, password: `${username}-password`, email: `${username}@example.org` };
}

/** Starts a service where ada owns token 1 and the project "engine". @returns Credentials of each caller. */
async function startWithCallers(t: TestContext, registration: 'open' | 'closed') {
  const service = await startService(t);
  const ada = await service.register('ada');
  const { json } = await service.call('POST /api/v1/tokens', { as: ada, json: { scope: 'read_only' } });
  await service.createProject(ada, 'engine');
  const credentials = {
    'token of ada': await service.issueToken(ada),
    'other user': await service.register('eve'),
    'administrator': await service.registerAdministrator('root'),
    'anonymous': undefined,
    'read-only token of ada': `Bearer ${json['token']}`,
    'ada, disabled': ada,
  };
  return {
    service: registration === 'open' ? service : await startService(t, { registration }, service.database),
    credentials,
  };
}

async function callAs(
  service: TestService, caller: (typeof CALLERS)[number], credentials: Record<string, string | undefined>,
  row: Row,
) {
  if (caller === 'ada, disabled') {
    await service.call('PATCH /api/v1/users/ada', {
      as: credentials['administrator'], json: { disabled: true },
    });
  }
  const path = row.route.replace('{username_or_id}', 'ada').replace('{project_name_or_id}', 'engine')
    .replace('{token_id}', '1').replace('{filename}', 'index.html');
  return service.call(`${path}${row.query ?? ''}`, {
    as: credentials[caller],
    ...(row.form === undefined
      ? { json: row.json }
      : { body: row.form, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  });
}

for (const row of ROWS) {
  const { route, query = '', json, registration = 'open', statuses } = row;
  CALLERS.forEach((caller, index) => {
    const body = json === undefined ? '' : ` with ${Object.keys(json).join(', ')}`;
    const closed = registration === 'closed' ? ', registration closed,' : '';
    // spec 4.5-6, 5-10
    test(`${route}${query}${body}${closed} by ${caller} is ${statuses[index]}`, async (t) => {
      const { service, credentials } = await startWithCallers(t, registration);
      const answer = await callAs(service, caller, credentials, row);
      assert.equal(answer.status, statuses[index], answer.text);
    });
  });
}

test('the table has exactly the routes of the service', () => {
  const listed = [...new Set(ROWS.map(({ route }) => route))];
  assert.deepEqual(listed.sort(), routes.toSorted());
});

// spec 3-4
test('every token of a disabled user is refused', async (t) => {
  const { service, credentials } = await startWithCallers(t, 'open');
  await service.call('PATCH /api/v1/users/ada', {
    as: credentials['administrator'], json: { disabled: true },
  });
  for (const caller of ['token of ada', 'read-only token of ada'] as const) {
    await service.expect(401, 'GET /api/v1/user', { as: credentials[caller] });
  }
});
