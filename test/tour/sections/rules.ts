/** Specification: from "Authentication" to "Versioning". */
import type { Section } from '../sentence.ts';

const TOKEN_FORMS = 'a token signs in as the username with an empty password, alone in base64, and as a bearer';
const FIRST_THOUSAND = 'of 1001 projects the first page has 1000, unless another size is asked for';

export const rules: readonly Section[] = [
  {
    number: '5',
    title: 'Authentication',
    sentences: [
      {
        says: 'Protected operations take HTTP Basic: Authorization carries the base64 of <username>:<password>.',
        source: { 'auth/credentials.ts': "const colon = text.indexOf(':')" },
        tests: { 'api/02-authentication.test.ts': 'a username and password sign in' },
      },
      {
        says: 'Or a token, in base64 in the place of the username, with an empty password.',
        source: { 'auth/credentials.ts': ": { kind: 'token', token: username }" },
        tests: { 'api/02-authentication.test.ts': TOKEN_FORMS },
      },
      {
        says: 'Either is accepted.',
        source: { 'auth/authenticate.ts': 'switch (credentials.kind)' },
        tests: { 'api/02-authentication.test.ts': ['a username and password sign in', TOKEN_FORMS] },
      },
      {
        says: 'Whoever has signed in is the caller of the request.',
        source: { 'app.ts': 'exchange.caller = outcome.caller' },
        tests: { 'api/12-who-am-i.test.ts': 'GET /api/v1/user tells a caller with a password who they are' },
      },
      {
        says: 'Authentication is needed to list users, to read a user, and to issue and revoke tokens.',
        source: { 'app.ts': "if (route.access === 'public')" },
        tests: {
          'api/02-authentication.test.ts': [
            'GET /api/v1/users without credentials is 401 with both challenges',
            'GET /api/v1/users/ada without credentials is 401 with both challenges',
            'POST /api/v1/token without credentials is 401 with both challenges',
            'DELETE /api/v1/token without credentials is 401 with both challenges',
          ],
        },
      },
      {
        says: "Only an administrator revokes somebody else's token.",
        source: { 'handlers/tokens.ts': 'const username = caller.user.isAdmin ?' },
        tests: { 'api/03-tokens.test.ts': "DELETE /api/v1/token revokes the caller's own token when a non-administrator names grace" },
      },
      {
        says: 'Basic is not safe without encryption; in production there is to be TLS.',
        source: { 'http/listener.ts': 'createSecureServer({ ...options, ...tls' },
        tests: { 'programs/tls.test.ts': 'HTTPS is served with TLS 1.2 and 1.3, not older, says so to browsers, and its healthcheck knows the certificate' },
      },
      {
        says: 'Signatures (HMAC-SHA256) are planned and no part of this interface.',
        source: { 'auth/credentials.ts': 'const FIELD = /^(basic|bearer) +' },
        tests: { 'auth/credentials.test.ts': 'The field "HMAC-SHA256 YW5uOmE=" is malformed' },
      },
      {
        says: 'Left open: status and body of a failed authentication. Here: 401 and a problem, the same whatever was wrong.',
        source: { 'problems.ts': "headers: { 'WWW-Authenticate': CHALLENGES }" },
        tests: { 'api/02-authentication.test.ts': 'an unknown user, a wrong password and a wrong token get the same answer' },
      },
      {
        says: 'Left open: whether the operations on projects need authentication. Here: they do; POST /api/v1/users does not, unless registration is closed.',
        source: { 'routes.ts': 'handle: listProjects,' },
        tests: {
          'api/02-authentication.test.ts': [
            'GET /api/v1/projects without credentials is 401 with both challenges',
            'POST /api/v1/projects without credentials is 401 with both challenges',
            'GET /api/v1/projects/notes without credentials is 401 with both challenges',
            'DELETE /api/v1/projects/notes without credentials is 401 with both challenges',
          ],
          'api/16-access.test.ts': 'POST /api/v1/users with username, password, email, registration closed, by anonymous is 401',
        },
      },
    ],
  },
  {
    number: '6',
    title: 'Events',
    sentences: [
      {
        says: 'Left open: events, webhooks and notifications. Here: none; changes are recorded in a trail that administrators read.',
        source: { 'routes.ts': "path: '/api/v1/audit_events'" },
        tests: {
          'api/17-audit-trail.test.ts': 'every change of the service is in the trail, in order',
          'scripts/audit.test.ts': 'every claim holds of this project, and the server is walked through',
        },
      },
    ],
  },
  {
    number: '7',
    title: 'Errors',
    sentences: [
      {
        says: '400 for POST /api/v1/users: the body is malformed JSON or of the wrong shape.',
        source: { 'problems.ts': ["slug: 'malformed-body', status: 400", "slug: 'invalid-body', status: 400"] },
        tests: { 'api/04-registration.test.ts': ['the body { is 400', 'the body {} is 400', 'the body [] is 400'] },
      },
      {
        says: '400 for POST /api/v1/projects: malformed JSON.',
        source: { 'request-body.ts': 'throw problems.malformedBody(parsed.reason)' },
        tests: { 'api/06-projects.test.ts': 'malformed JSON is 400' },
      },
      {
        says: '400 for GET /api/v1/projects: malformed JSON, or the user was not found.',
        source: { 'handlers/projects.ts': 'async function findOwner' },
        tests: { 'api/06-projects.test.ts': ['GET /api/v1/projects with malformed JSON is 400', 'GET /api/v1/projects with an unknown owner in the query is 400'] },
      },
      {
        says: '404 for DELETE /api/v1/token: an administrator names nobody.',
        source: { 'handlers/tokens.ts': "throw problems.notFound('user')" },
        tests: { 'api/03-tokens.test.ts': 'DELETE /api/v1/token is 404 when an administrator names nobody, and revokes nothing' },
      },
      {
        says: '404 for GET and DELETE of a single project: there is none.',
        source: { 'handlers/projects.ts': "throw problems.notFound('project')" },
        tests: { 'api/06-projects.test.ts': ['GET /api/v1/projects/nothing is 404', 'DELETE /api/v1/projects/nothing by ada is 404', 'DELETE /api/v1/projects/2 by ada is 404'] },
      },
      {
        says: '422 for POST /api/v1/users: the username is in use.',
        source: { 'handlers/users.ts': 'if (holder !== undefined) {' },
        tests: { 'api/04-registration.test.ts': 'POST /api/v1/users is 422 for "ada" when "ada" exists' },
      },
      {
        says: 'Left open: the form of errors. Here: application/problem+json (RFC 9457).',
        source: { 'http/problem.ts': 'export function toProblemReply' },
        tests: { 'http/problem.test.ts': 'A problem is a JSON object with its type, title, status, detail and the id of the request' },
      },
      {
        says: 'Left open: an expiration that is no integer. Here: 400.',
        source: { 'handlers/parameters.ts': '/^[0-9]+$/.test(text) ? Number(text) : NaN' },
        tests: { 'api/03-tokens.test.ts': ['expiration=ten answers 400', 'expiration=1.5 answers 400', 'expiration= answers 400'] },
      },
    ],
  },
  {
    number: '8',
    title: 'Limits',
    sentences: [
      {
        says: 'The default size of a page is 1000 items, in lists of users and of projects.',
        source: { 'handlers/parameters.ts': 'sizeMax: sizeMax ?? ITEMS_PER_PAGE_MAX' },
        tests: { 'api/05-users.test.ts': 'the headers page and items_per_page say what was used, 1 and 1000 by default', 'api/06-projects.test.ts': FIRST_THOUSAND },
      },
      {
        says: 'The default number of a page is 1, in both.',
        source: { 'handlers/parameters.ts': 'number: number ?? 1' },
        tests: { 'api/05-users.test.ts': 'the headers page and items_per_page say what was used, 1 and 1000 by default', 'api/06-projects.test.ts': FIRST_THOUSAND },
      },
      {
        says: 'Pages keep very large results from being loaded at once.',
        source: { 'stores/paging.ts': 'limit: sizeMax + 1' },
        tests: { 'api/05-users.test.ts': 'items_per_page=1001 is 400', 'api/06-projects.test.ts': FIRST_THOUSAND },
      },
      {
        says: 'Left open: limits of rates. Here: failed sign-ins are limited, by name and by address.',
        source: { 'settings.ts': ["'SIGN_IN_FAILURES_PER_NAME'", "'SIGN_IN_FAILURES_PER_ADDRESS'"] },
        tests: {
          'api/02-authentication.test.ts': 'the 30th failure is 401, the 31st attempt 429, right or wrong',
        },
      },
      {
        says: 'Left open: the largest items_per_page. Here: 1000.',
        source: { 'handlers/parameters.ts': 'max: ITEMS_PER_PAGE_MAX' },
        tests: { 'api/05-users.test.ts': ['items_per_page=1000 is 200', 'items_per_page=1001 is 400'] },
      },
      {
        says: 'Left open: the default lifetime of a token. Here: 600 seconds, unless set otherwise.',
        source: { 'settings.ts': "setting('TOKEN_LIFETIME_SECONDS', '600'" },
        tests: { 'api/03-tokens.test.ts': 'POST /api/v1/token answers 201 with a token and its end, ten minutes ahead, without a zone designator' },
      },
    ],
  },
  {
    number: '9',
    title: 'Versioning',
    sentences: [
      {
        says: 'The version of the interface is in the prefix /api/v1.',
        source: { 'routes.ts': "path: '/api/v1/user'," },
        tests: {
          'api/08-methods-and-origins.test.ts': [
            'every route lies below /api/v1 but for liveness, probes, metrics and static files',
            '/api/v2/users is 404 for every method',
          ],
        },
      },
      {
        says: 'The liveness and static routes lie outside of it.',
        source: { 'routes.ts': ["{ operationId: 'greetAtIndex', method: 'GET', path: '/index'", "path: '/static/{filename}'"] },
        tests: { 'api/08-methods-and-origins.test.ts': 'every route lies below /api/v1 but for liveness, probes, metrics and static files' },
      },
      {
        says: 'Schemas for bodies are of JSON Schema draft 4; draft 3 is not to be used.',
        source: { 'jsonschema/keywords/annotations.ts': "const DRAFT_4 = 'http://json-schema.org/draft-04/schema'" },
        tests: {
          'jsonschema/keywords.test.ts': [
            'the schema {"$schema":"http://json-schema.org/draft-03/schema#"} is refused at "#/$schema": draft-04',
            'the schema {"required":true} is refused at "#/required": a list',
          ],
        },
      },
      {
        says: 'Left open: how versions end and how others are chosen. Here: there is one, and other prefixes are 404.',
        source: { 'app.ts': "throw problems.notFound('resource')" },
        tests: { 'api/08-methods-and-origins.test.ts': '/api/v2/users is 404 for every method' },
      },
    ],
  },
];
