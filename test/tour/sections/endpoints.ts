/** Specification: "Endpoints", as far as tokens and the list of users. */
import type { Section } from '../sentence.ts';

const GREETINGS = [
  'GET / answers 200 with a message, without authentication',
  'GET /index answers 200 with a message, without authentication',
  'OPTIONS / answers 200 with a message, without authentication',
  'OPTIONS /index answers 200 with a message, without authentication',
];
const TOKEN = 'POST /api/v1/token answers 201 with a token and its end, ten minutes ahead, without a zone designator';
const USERS_LIST = 'GET /api/v1/users lists every user with id, username, email, date, role and projects, and no password';
const DEFAULTS = 'the headers page and items_per_page say what was used, 1 and 1000 by default';
const SECOND_PAGE = 'GET /api/v1/users?items_per_page=2&page=2 is the page [a3, a4] with links to first, prev, next';

export const endpoints: readonly Section[] = [
  {
    number: '4',
    title: 'Endpoints',
    sentences: [
      {
        says: 'All paths are relative to {base_url}.',
        source: { 'app.ts': 'base.strip(target.segments)' },
        tests: { 'api/22-base-path.test.ts': 'every route lies below the prefix, whose root is the greeting, and nothing elsewhere' },
      },
      {
        says: 'page and items_per_page are integers in the query.',
        source: { 'handlers/parameters.ts': ["{ name: 'page', min: 1", "{ name: 'items_per_page', min: 1"] },
        tests: { 'api/05-users.test.ts': [SECOND_PAGE, 'page=x is 400 and names the parameter', 'items_per_page=1.0 is 400 and names the parameter'] },
      },
      {
        says: 'Each list in pages answers with the headers page, items_per_page and Count (for users, Count is what is shown).',
        source: { 'handlers/parameters.ts': ["'page': String(page.number)", "'items_per_page': String(page.sizeMax)", "'Count': String(count)"] },
        tests: {
          'api/05-users.test.ts': [DEFAULTS, SECOND_PAGE],
          'api/06-projects.test.ts': 'GET /api/v1/projects lists the projects of all users to every user, with page, items_per_page and Count',
        },
      },
    ],
  },
  {
    number: '4.1',
    title: 'GET / and GET /index (also OPTIONS)',
    sentences: [
      {
        says: 'The request has no body and needs no authentication.',
        source: { 'routes.ts': "{ operationId: 'greet', method: 'GET', path: '/'" },
        tests: {
          'api/01-liveness.test.ts': [...GREETINGS, 'credentials that are wrong do not matter where none are needed'],
          'api/09-requests.test.ts': 'a body that nobody asked for does not become the next request',
        },
      },
      {
        says: 'The answer is 200, an object with a text "message".',
        source: { 'handlers/liveness.ts': 'return GREETING;' },
        tests: { 'api/01-liveness.test.ts': GREETINGS },
      },
    ],
  },
  {
    number: '4.2',
    title: 'POST /api/v1/token',
    sentences: [
      {
        says: 'HTTP Basic credentials are needed.',
        source: { 'routes.ts': 'handle: issueToken,' },
        tests: {
          'api/02-authentication.test.ts': 'POST /api/v1/token without credentials is 401 with both challenges',
          'api/16-access.test.ts': 'POST /api/v1/token by other user is 201',
        },
      },
      {
        says: 'The query may have expiration, an integer.',
        source: { 'handlers/tokens.ts': "{ name: 'expiration', min: 1, max: maxSeconds }" },
        tests: { 'api/03-tokens.test.ts': ['expiration=1 answers 201', 'expiration=31536000 answers 201', 'a token is valid until its last millisecond and not at its expiration'] },
      },
      {
        says: 'Without it the default lifetime applies.',
        source: { 'handlers/tokens.ts': 'lifetimeSeconds = services.tokenLifetimes.defaultSeconds' },
        tests: { 'api/03-tokens.test.ts': TOKEN },
      },
      {
        says: 'There is no body.',
        source: { 'routes.ts': '/** A route without a body rule does not read a body. */', 'app.ts': 'body: rule && (await readBody(' },
        tests: { 'api/03-tokens.test.ts': 'POST /api/v1/token reads no body: one that is no JSON does not matter' },
      },
      {
        says: 'The answer is 201, an object with token, a text, and expiration_date, a text in ISO 8601.',
        source: { 'handlers/tokens.ts': 'const answer = { token: text, expiration_date: withoutZone(token.expiresAt) }' },
        tests: { 'api/03-tokens.test.ts': TOKEN },
      },
      {
        says: 'The token belongs to the user who signed in.',
        source: { 'handlers/tokens.ts': 'owner: caller.user,' },
        tests: { 'api/12-who-am-i.test.ts': 'GET /api/v1/user tells an administrator their role, and which token they signed in with' },
      },
    ],
  },
  {
    number: '4.3',
    title: 'DELETE /api/v1/token',
    sentences: [
      {
        says: 'Authentication is needed.',
        source: { 'routes.ts': 'handle: revokeToken,' },
        tests: { 'api/02-authentication.test.ts': 'DELETE /api/v1/token without credentials is 401 with both challenges' },
      },
      {
        says: 'The query may have username, a text.',
        source: { 'handlers/tokens.ts': "readText(request.query, 'username')" },
        tests: { 'api/16-access.test.ts': ['DELETE /api/v1/token by administrator is 200', 'DELETE /api/v1/token?username=ada by administrator is 200'] },
      },
      {
        says: 'Without username, the current token of the caller is revoked.',
        source: { 'handlers/tokens.ts': ['await tokens.revoke(caller.token, origin)', 'await tokens.revokeAllOf(caller.user, origin)'] },
        tests: { 'api/03-tokens.test.ts': ['DELETE /api/v1/token with a token revokes that token at once, and no other', 'DELETE /api/v1/token with a password revokes every token of the caller'] },
      },
      {
        says: 'With username, by an administrator, that of the user of this name.',
        source: { 'handlers/tokens.ts': 'await tokens.revokeAllOf(user, origin)' },
        tests: { 'api/03-tokens.test.ts': 'DELETE /api/v1/token revokes the tokens of the user whom an administrator names, case ignored' },
      },
      {
        says: 'Where nobody has the name, the answer is 404.',
        source: { 'handlers/tokens.ts': "throw problems.notFound('user')" },
        tests: { 'api/03-tokens.test.ts': 'DELETE /api/v1/token is 404 when an administrator names nobody, and revokes nothing' },
      },
      {
        says: 'With username, by anybody else, the parameter is ignored and the own current token is revoked.',
        source: { 'handlers/tokens.ts': 'const username = caller.user.isAdmin ?' },
        tests: {
          'api/03-tokens.test.ts': [
            "DELETE /api/v1/token revokes the caller's own token when a non-administrator names grace",
            "DELETE /api/v1/token revokes the caller's own token when a non-administrator names nobody",
          ],
        },
      },
      {
        says: 'The answer is 200, an object whose token_status is "deleted".',
        source: { 'handlers/tokens.ts': 'return TOKEN_STATUS_DELETED' },
        tests: { 'api/03-tokens.test.ts': ['DELETE /api/v1/token with a token revokes that token at once, and no other', 'DELETE /api/v1/token is 200 when there is nothing to revoke'] },
      },
    ],
  },
  {
    number: '4.4',
    title: 'GET /api/v1/users',
    sentences: [
      {
        says: 'Authentication is needed.',
        source: { 'routes.ts': 'handle: listUsers,' },
        tests: { 'api/02-authentication.test.ts': 'GET /api/v1/users without credentials is 401 with both challenges' },
      },
      {
        says: 'contains, a text, empty by default: what the username must have in it.',
        source: { 'stores/search.ts': 'instr(${keyColumn}, ?) > 0' },
        tests: { 'api/05-users.test.ts': ['GET /api/v1/users?contains=ann finds [anna, Hannah, joanna]', 'GET /api/v1/users?contains= finds [anna, Hannah, joanna, a_b, a.b, ÄNNE]'] },
      },
      {
        says: 'starts_with, a text, empty by default: how the username begins.',
        source: { 'stores/search.ts': 'substr(${keyColumn}, 1, ?) = ?' },
        tests: { 'api/05-users.test.ts': 'GET /api/v1/users?starts_with=a finds [anna, a_b, a.b]' },
      },
      {
        says: 'ends_with, a text, empty by default: how the username ends.',
        source: { 'stores/search.ts': 'substr(${keyColumn}, length(${keyColumn}) - ? + 1) = ?' },
        tests: { 'api/05-users.test.ts': 'GET /api/v1/users?ends_with=a finds [anna, joanna]' },
      },
      {
        says: 'page, an integer, 1 by default: the number of the page.',
        source: { 'handlers/parameters.ts': 'number: number ?? 1' },
        tests: { 'api/05-users.test.ts': [DEFAULTS, SECOND_PAGE] },
      },
      {
        says: 'items_per_page, an integer, 1000 by default: the size of the page.',
        source: { 'handlers/parameters.ts': 'sizeMax: sizeMax ?? ITEMS_PER_PAGE_MAX' },
        tests: { 'api/05-users.test.ts': [DEFAULTS, SECOND_PAGE] },
      },
      {
        says: 'With contains, the pattern is %<contains>%, and the other two are ignored.',
        source: { 'handlers/parameters.ts': "{ kind: 'contains', text: toNameKey(contains) }" },
        tests: { 'api/05-users.test.ts': 'GET /api/v1/users?contains=h&starts_with=x&ends_with=y finds [Hannah]' },
      },
      {
        says: 'Else, with one or both of the other two, it is <starts_with>% and then %<ends_with>, of those that are given.',
        source: { 'stores/search.ts': 'length(${keyColumn}) >= ?' },
        tests: {
          'api/05-users.test.ts': [
            'GET /api/v1/users?starts_with=a&ends_with=a finds [anna]',
            'GET /api/v1/users?starts_with=an&ends_with=na finds [anna]',
            'GET /api/v1/users?starts_with=ann&ends_with=nna finds []',
          ],
        },
      },
      {
        says: 'With none of them, everybody is listed.',
        source: { 'handlers/parameters.ts': "return { kind: 'all' }" },
        tests: { 'api/05-users.test.ts': 'GET /api/v1/users finds [anna, Hannah, joanna, a_b, a.b, ÄNNE]' },
      },
      {
        says: 'Users are in the order of their ids, and cut to items_per_page from where the page begins.',
        source: { 'stores/paging.ts': ["order = 'users_search.rowid'", 'order: `${table}.id`'] },
        tests: { 'api/05-users.test.ts': [SECOND_PAGE, 'GET /api/v1/users?contains=ann&page=2&items_per_page=2 finds [joanna]'] },
      },
      {
        says: 'The answer is 200, an object with an array "users", and the header Count, which counts what is within these limits.',
        source: { 'handlers/parameters.ts': '`{"${member}":[`', 'stores/user-list.ts': 'count(*) AS count' },
        tests: { 'api/05-users.test.ts': [USERS_LIST, 'GET /api/v1/users?contains=ann&page=2&items_per_page=2 finds [joanna]'] },
      },
      {
        says: 'Left open: where a page begins, and what becomes of values that are no such numbers. Here: behind the pages before it, and 400.',
        source: { 'stores/paging.ts': '(number - 1) * sizeMax', 'handlers/parameters.ts': 'throw problems.invalidParameter(name, `an integer from ${min} to ${max}`)' },
        tests: { 'api/05-users.test.ts': [SECOND_PAGE, 'page=0 is 400 and names the parameter', 'items_per_page=x is 400 and names the parameter'] },
      },
      {
        says: 'Left open: whether case matters. Here: it does not.',
        source: { 'model/name.ts': 'export function toNameKey' },
        tests: { 'api/05-users.test.ts': ['GET /api/v1/users?contains=ANN finds [anna, Hannah, joanna]', 'GET /api/v1/users?contains=%C3%A4 finds [ÄNNE]'] },
      },
    ],
  },
];
