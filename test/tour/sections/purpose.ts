/** Specification: the beginning, and "What the service does". */
import type { Section } from '../sentence.ts';

export const purpose: readonly Section[] = [
  {
    number: '0',
    title: 'The beginning',
    sentences: [
      {
        says: 'One document describes the whole service: users register, own projects, and are issued tokens that can be revoked; JSON over HTTP.',
        source: { 'routes.ts': 'export function createRoutes' },
        tests: { 'documentation.test.ts': 'the table of routes in the README names every route and no other' },
      },
      {
        says: 'It has all parts in itself.',
        source: { 'app.ts': 'createRouter(routes)' },
        tests: { 'api/16-access.test.ts': 'the table has every route of the service, and no other' },
      },
    ],
  },
  {
    number: '1',
    title: 'What the service does',
    sentences: [
      {
        says: 'Users, projects and tokens are reached over HTTP.',
        source: { 'http/listener.ts': 'createServer(options, onRequest)' },
        tests: {
          'api/04-registration.test.ts': 'POST /api/v1/users answers 201 with username, email, id and date, the place of the user, and no password',
          'api/06-projects.test.ts': 'POST /api/v1/projects answers 201 with the project and the summary of its owner, who is the caller by default',
          'api/03-tokens.test.ts': 'POST /api/v1/token answers 201 with a token and its end, ten minutes ahead, without a zone designator',
        },
      },
      {
        says: 'Bodies of requests and answers are JSON.',
        source: { 'request-body.ts': 'parseJson(bytes)', 'http/exchange.ts': "const JSON_HEADERS = { 'Content-Type': 'application/json" },
        tests: {
          'api/09-requests.test.ts': ['well-formed JSON declared as application/json is 201', 'well-formed JSON declared as text/plain is 415'],
          'api/01-liveness.test.ts': 'GET / answers 200 with a message, without authentication',
        },
      },
      {
        says: 'The address of the service is {base_url}.',
        source: { 'settings.ts': "setting('HOST'", 'app.ts': 'createBasePath(basePath)' },
        tests: { 'api/22-base-path.test.ts': 'every route lies below the prefix, whose root is the greeting, and nothing elsewhere' },
      },
      {
        says: 'Routes of resources lie below /api/v1.',
        source: { 'routes.ts': ['handle: issueToken,', 'handle: listUsers,', 'handle: listProjects,'] },
        tests: { 'api/08-methods-and-origins.test.ts': 'every route lies below /api/v1 but for liveness, probes, metrics and static files' },
      },
      {
        says: 'A liveness route, / and /index, confirms that the service runs.',
        source: { 'handlers/liveness.ts': "jsonReply(200, { message: 'Rollcall is running' })" },
        tests: { 'api/01-liveness.test.ts': ['GET / answers 200 with a message, without authentication', 'GET /index answers 200 with a message, without authentication'] },
      },
      {
        says: 'A route below /static/ serves files to browsers.',
        source: { 'routes.ts': "path: '/static/{filename}'" },
        tests: { 'api/07-static-files.test.ts': 'GET /static/index.html answers the file with its type, without authentication' },
      },
      {
        says: 'Requests from other origins are allowed, throughout the service (CORS).',
        source: { 'app.ts': '...toCorsHeaders(corsOrigin)' },
        tests: {
          'api/08-methods-and-origins.test.ts': [
            'GET /api/v1/users is open to every origin, without credentials mode, and not to be sniffed',
            'GET /nowhere is open to every origin, without credentials mode, and not to be sniffed',
            'a preflight for /api/v1/users names its methods, and Authorization, Content-Type and X-Requested-With',
          ],
        },
      },
      {
        says: '/ and /index take GET and OPTIONS.',
        source: { 'routes.ts': ["method: 'OPTIONS', path: '/',", "method: 'OPTIONS', path: '/index',"] },
        tests: { 'api/01-liveness.test.ts': ['OPTIONS / answers 200 with a message, without authentication', 'OPTIONS /index answers 200 with a message, without authentication'] },
      },
      {
        says: 'A user is named by a numeric id or by a username.',
        source: { 'handlers/users.ts': "parseIdOrName<UserId>(pathParameters['username_or_id']" },
        tests: { 'api/05-users.test.ts': ['GET /api/v1/users/1 finds ada', 'GET /api/v1/users/ADA finds ada'] },
      },
      {
        says: 'A project is named by a numeric id or by its name.',
        source: { 'handlers/projects.ts': "parseIdOrName<ProjectId>(request.pathParameters['project_name_or_id']" },
        tests: { 'api/06-projects.test.ts': ['GET /api/v1/projects/1 is 200', 'GET /api/v1/projects/engine is 200'] },
      },
      {
        says: 'Some users are administrators.',
        source: { 'model/user.ts': 'readonly isAdmin: boolean' },
        tests: { 'api/12-who-am-i.test.ts': 'GET /api/v1/user tells an administrator their role, and which token they signed in with' },
      },
    ],
  },
];
