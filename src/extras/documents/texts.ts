/**
 * The texts of the API document: an introduction, and sentences about operations, parameters, header fields
 * and members of bodies. All other parts, such as access, scopes, refusals and bounds, are generated from the
 * operations. Tests find missing and unused texts.
 */
import { ITEMS_PER_PAGE_MAX } from '../../api/parameters.ts';
import { text, type Schema, type TypedSchema } from '../../jsonschema/schema.ts';
import {
  auditEvent, caller, createdToken, createdUser, introspection, issuedToken,
  passwordLink, project, tokenRecord, tokenText, user,
} from './records.ts';

/** Texts in CommonMark. If a text has no example, the API document shows an allowed value as the example. */
type Sentences = Readonly<Record<string, string | readonly [text: string, example: unknown]>>;

/** The schema of the content for each media type of a response. */
type Media = Readonly<Record<string, TypedSchema<unknown>>>;

export type ResponseText =
  readonly [status: number, description: string, headers?: readonly HeaderName[], content?: Media];

export interface OperationText {
  readonly description: string;
  /** The schema of the record in the response. In a list, each item has this schema. */
  readonly shows?: TypedSchema<unknown>;
  /** These header fields are added to the usual fields. */
  readonly headers?: readonly HeaderName[];
  /** Present only if the handler of the operation makes the replies itself. */
  readonly responses?: readonly ResponseText[];
  /** Sentences about parameters and members that have a special meaning in this operation. */
  readonly own?: Sentences;
  readonly bodyExample?: object;
}

export const UNCHANGED: ResponseText = [304, 'The client already has the current state.', ['ETag']];

const FILE: Media = { '*/*': text({ format: 'binary' }) };

const fileResponses = (content: Media): readonly ResponseText[] => [
  [200, 'The file.', ['ETag'], content],
  [206, 'The requested bytes of the file, never compressed.', ['ETag', 'Content-Range'], FILE],
  UNCHANGED,
];

const MAY_PASS = 'The proxy may send the request of the client to the program.';
const IDENTITY = ['Remote-User-Id', 'Remote-User', 'Remote-Email', 'Remote-Groups'] as const;
const VERIFIED_TOKENS =
  'Without a trusted proxy, a `read_only` token and a token with an `audience` get 403. ' +
  'Through a trusted proxy, a `read_only` token may send GET, HEAD, OPTIONS, PROPFIND and REPORT. ' +
  'A token with an `audience` is valid only if the `audience` lists the host in `X-Forwarded-Host`. ';
const OTHERS_HIDDEN = 'With `DIRECTORY=closed`, plain users get 404 for other users and their projects.';
const SOME_MEMBERS = 'Changes only the members in the body. All other members keep their values.';
const SORT = 'The default is `id`. A minus sign reverses the order. Items with equal keys are sorted by id.';
const SORT_NAMES = `${SORT} Names are sorted without regard to case.`;
const OWNER = { username: ['The owner of the tokens; by default, the caller.', 'ada'] } as const;

/** The keys are the ids of operations. The id `listUsers` becomes the summary "List users". */
export const texts: Readonly<Record<string, OperationText>> = {
  issueToken: {
    description:
      'The new token has the scope `full`, and no audience. To choose both, use `POST /api/v1/tokens`. ' +
      'If you use a token to issue a new token, the new token expires no later than the token you used.',
    shows: issuedToken,
  },
  revokeToken: {
    description:
      'Revokes the token of this request. If this request has a password instead, revokes all your tokens. ' +
      'The response is the same even if no token was valid. A token with an `audience` can revoke itself. ' +
      'With `username`, administrators get 403 for tokens with `read_only`, `identity` or an `audience`.',
    own: { username: ['For administrators: revokes all tokens of this user.', 'ada'] },
  },
  listTokens: {
    description: 'Lists valid tokens. With `all_users` and `last_four`, administrators find a leaked token.',
    own: OWNER,
    shows: tokenRecord,
  },
  createToken: {
    description: 'Issues a token, like `POST /api/v1/token`. The body and all its members are optional.',
    own: { name: 'A name by which you recognise the token. Control characters are refused.' },
    shows: createdToken,
    bodyExample: { name: 'laptop', scope: 'full', audience: ['wiki.example.org'] },
  },
  deleteTokens: {
    description: 'Revokes all tokens of the owner, even the token of this request. Filters are refused.',
    own: OWNER,
  },
  readToken: { description: 'Plain users can read only their own valid tokens.', shows: tokenRecord },
  deleteToken: { description: 'Users may revoke their own tokens. Administrators may revoke every token.' },

  readCaller: {
    description:
      'Shows your account, and how you signed in. With the scope `identity`, the response has no projects. ' +
      'To change your account with `If-Match`, use the `ETag` of `/api/v1/users/{username_or_id}`.',
    shows: caller,
    headers: ['Link'],
  },
  listUsers: { description: 'Lists users with their projects.', own: { sort: SORT_NAMES }, shows: user },
  createUser: {
    description: 'Administrators may leave out the password, and invite the user with a password link.',
    shows: createdUser,
    bodyExample: { username: 'ada', password: 'a long phrase only Ada knows', email: 'ada@example.org' },
  },
  readUser: { description: OTHERS_HIDDEN, shows: user, headers: ['Link'] },
  updateUser: { description: SOME_MEMBERS, shows: user, bodyExample: { email: 'ada@example.org' } },
  deleteUser: {
    description:
      'To delete your own account, or an administrator, sign in with your password. ' +
      'Revokes all tokens of the deleted user. Another user can take the username.',
  },
  changePassword: {
    description:
      'To change your own password, send your current password, or use the token of a password link. ' +
      'Revokes all tokens of the user. If the token of this request has the scope `full`, it stays valid.',
    bodyExample: { password: 'a long phrase only Ada knows', current_password: 'the one before' },
  },
  createPasswordLink: {
    description: 'With the link, the user can set a password once, within a day. Older links are revoked.',
    shows: passwordLink,
  },

  listProjects: {
    description: 'A JSON body may name the `owner`. An `owner` in the query has precedence.',
    own: {
      sort: SORT_NAMES,
      owner: ['Finds projects of this user. Case is ignored. For an unknown user, the status is 400.', 'ada'],
    },
    shows: project,
  },
  createProject: {
    description: 'You own the new project, unless the body names another `owner`.',
    shows: project,
    bodyExample: { name: 'notes', description: 'On the Analytical Engine' },
  },
  readProject: { description: OTHERS_HIDDEN, shows: project },
  updateProject: { description: SOME_MEMBERS, shows: project, bodyExample: { description: 'New edition' } },
  deleteProject: { description: 'Another project can take the name of the deleted project.' },

  verifyRequest: {
    description:
      'For each request, a reverse proxy first calls this operation with the credentials of the client. ' +
      'The response has the fields `Remote-*`, which the proxy passes to the program. ' +
      'If `TRUST_PROXY` does not list the proxy, `X-Forwarded-Method` and `X-Forwarded-Host` are ignored. ' +
      VERIFIED_TOKENS +
      'With Basic credentials, a change from a page of another origin is refused.',
    responses: [[204, MAY_PASS, IDENTITY]],
  },
  verifyProject: {
    description:
      'Works like `/api/v1/verify`, but accepts only administrators and the owner of the project. ' +
      VERIFIED_TOKENS +
      'The query is ignored. If the project is unknown, the response is 403.',
    responses: [[204, MAY_PASS, [...IDENTITY, 'Remote-Project-Id', 'Remote-Project']]],
  },
  introspectToken: {
    description:
      'Tells a program to whom a token belongs (RFC 7662). The program must sign in with its own token. ' +
      '`active` is `false` for an unknown, expired or revoked token, and for a token of a disabled user. ' +
      'If the program keeps the response for a minute, a revoked token can work for a minute more.',
    responses: [
      [200, 'An invalid token yields only `active: false`.', [], { 'application/json': introspection }],
    ],
    bodyExample: { token: tokenText.json.example },
  },

  listAuditEvents: {
    description:
      'Each change and its audit event are stored in one transaction. ' +
      'The table of audit events refuses updates and deletions. ' +
      'Once a minute, the service records the number of failed sign-ins for each pair of user and network.',
    own: {
      username: ['Finds changes made by this user, and changes to the user. Use the current name.', 'ada'],
    },
    shows: auditEvent,
  },

  greet: { description: 'Tells clients that the service runs.', headers: ['Refresh', 'Link'] },
  greetWithOptions: { description: 'Lists the supported methods in `Allow`, and answers CORS preflights.' },
  greetAtIndex: { description: 'Works like `GET /`.', headers: ['Refresh', 'Link'] },
  greetAtIndexWithOptions: { description: 'Works like `OPTIONS /`.' },
  readStaticFile: {
    description: 'A path that ends in `/` means the file `index.html` in the folder. Case matters in paths.',
    responses: [
      ...fileResponses(FILE),
      [302, 'Redirects browsers that omit the slash after the name of a folder.', ['Location']],
    ],
  },
  readApiDescription: {
    description: 'The file `/static/openapi.json` has the same bytes as this document.',
    responses: fileResponses({
      'application/json': { json: { type: 'object', example: { openapi: '3.0.4' } } },
    }),
  },
  reportLiveness: { description: 'A probe for orchestrators. The response does not depend on the database.' },
  reportReadiness: { description: 'While the response is 503, load balancers should send no requests.' },
  reportMetrics: {
    description: 'Measures requests, sign-ins, queues, the database and the process.',
    responses: [[200, 'The metrics in the text format 0.0.4 of Prometheus.', [], {
      'text/plain': text({ example: 'http_server_active_requests 1\n' }),
    }]],
  },
};

/** Sentences about parameters and members of bodies. The sentences in `OperationText.own` have precedence. */
export const sentences: Sentences = {
  username_or_id: ['The username or id of a user. An integer is an id. Case does not matter.', 'ada'],
  project_name_or_id: ['The name or id of a project. An integer is an id. Case does not matter.', 'notes'],
  token_id: ['The id of a token, as in lists of tokens. Do not send the text of the token.', 7],
  filename: ['The path of a file. Do not percent-encode the `/` between folders.', 'index.html'],

  page: 'The number of the page. The default is 1. A page after the last page is empty.',
  items_per_page: 'The maximum number of items on a page. The default is 1000. Larger values count as 1000.',
  sort: SORT,
  contains: ['Finds names that contain this text, and ignores `starts_with` and `ends_with`.', 'ad'],
  starts_with: ['Finds only names that start with this text, in upper or lower case.', 'a'],
  ends_with: ['Finds names that end with this text. `starts_with` cannot match the same characters.', 'a'],
  role: 'Finds only users with this role.',
  state: 'Finds users in this state. Only administrators may list `invited` users, who have no password.',
  last_four: ['Finds only tokens that end with these four characters. Case matters.', 'NNYw'],
  long_lived: 'With `true`, the list has only tokens with a lifetime of more than a day.',
  all_users: 'With `true`, administrators see all tokens. Do not combine this parameter with `username`.',
  action: 'Finds only events with this action.',
  user_id: ['Finds changes by this user, and changes to this user. You can also name a deleted user.', 2],
  since: ['Finds only events at or after this time (RFC 3339, with any offset).', '2026-01-31T00:00:00Z'],

  owned_projects: 'With `refuse` (the default), the service does not delete a user who owns projects.',
  new_owner: ['The user who gets the projects. `owned_projects=transfer` needs this parameter.', 'ada'],
  username:
    'Letters, digits and combining marks of one writing system (such as Latin), and `. _ @ + -`. ' +
    'Japanese, Chinese or Korean characters may be mixed with Latin letters. ' +
    'Invisible characters are refused. A username must not be an integer, a token, `.` or `..`. ' +
    'A username must be unique. Usernames that differ only in case count as equal.',
  current_password: 'Your current password; required if you change your own password.',
  email: 'Signed-in users can read all email addresses, unless `DIRECTORY=closed` hides other users.',
  is_admin: 'Whether the user is an administrator. Only administrators may change this value.',
  disabled: 'Whether the user is prevented from signing in. Only administrators may change this value.',

  name:
    'White space at the beginning or end is refused. Control characters and bidirectional controls are ' +
    'refused everywhere. The name must not be an integer, `.` or `..`. ' +
    'The name must be unique, regardless of case and of invisible characters.',
  description: 'Control characters (except tab and line break), U+202D and U+202E are refused.',
  owner: 'The username of the owner. Plain users can send only their own username here.',

  expiration: 'The lifetime of the token in seconds. The default is {lifetime}.',
  scope: 'The default is `full`. Use `identity` for a token that you give to a program.',
  audience:
    'Up to 10 hosts. Only programs on these hosts accept the token. Add the port unless it is 80 or 443. ' +
    'At this service, a token with an `audience` can do nothing except revoke itself. ' +
    'Without `audience`, the token is valid for every program and for this service.',
  token: 'The token to introspect.',
  token_type_hint: 'The service ignores this hint, because all tokens have the same type.',
};

const NEVER_REUSED = 'The service never uses an id twice. In programs, store the id and not the name.';
const MAY_CHANGE = 'in UTF-8. Names can change, and an old name can be used again.';

const integer = (minimum: number, others: Schema = {}): Schema => ({ type: 'integer', minimum, ...others });

export type HeaderText = readonly [description: string, schema?: Schema];

/** The introduction describes further header fields, which every response has. */
export const headerTexts = {
  'Location': ['The path of the new resource, of the user of a password link, or of a redirect target.'],
  'ETag': ['A strong entity tag for `If-None-Match` or `If-Match`.', { pattern: '^"[A-Za-z0-9_-]{43}"$' }],
  'Refresh': ['Sends browsers to the landing page. Clients that prefer JSON do not get this field.'],
  'Count': ['The number of items in this response.', integer(0, { maximum: ITEMS_PER_PAGE_MAX })],
  'Total': ['The number of items in the whole list.', integer(0)],
  'Total-Relation': ['If the value is `at_least`, `Total` is a minimum.', { enum: ['exact', 'at_least'] }],
  'page': ['The number of this page.', integer(1)],
  'items_per_page': ['The maximum number of items on a page.', integer(1, { maximum: ITEMS_PER_PAGE_MAX })],
  'Link': [
    'Links (RFC 8288): `first`, `prev` and `next` lead to pages of a list, if these pages exist. ' +
    '`related` leads to the list of all projects of a user, if the response lacks some projects. ' +
    'In the response to `/`, the link `alternate` leads to the landing page.',
  ],
  'Retry-After': ['The number of seconds to wait before retrying.', integer(1)],
  'WWW-Authenticate': ['The ways to sign in (RFC 7617, RFC 6750).'],
  'Remote-User-Id': [`The id of the user. ${NEVER_REUSED}`],
  'Remote-User': [`The username, ${MAY_CHANGE}`],
  'Remote-Email': ['The email address, in UTF-8. The address is neither verified nor unique.'],
  'Remote-Groups': [
    '`administrators` for an administrator; empty for all other users.', { enum: ['', 'administrators'] },
  ],
  'Remote-Project-Id': [`The id of the project. ${NEVER_REUSED}`],
  'Remote-Project': [`The name of the project, ${MAY_CHANGE}`],
  'Content-Range': ['The size of the file and, with the status 206, the range of bytes in the response.'],
} satisfies Readonly<Record<string, HeaderText>>;

export type HeaderName = keyof typeof headerTexts;

/** A response can lack these fields. For example, most responses with 403 have no `Retry-After`. */
export const OPTIONAL_HEADERS: readonly HeaderName[] = ['Link', 'Retry-After', 'Refresh'];

export const introduction = (basePath: string): string => `
Manage users, the projects they own, and the tokens they sign in with.
[Guides](${basePath}/static/guides/) explain signing in, lists, changes and errors, with commands to copy.

## Signing in

Send credentials in \`Authorization\`: \`Bearer token\`, \`Basic base64(token:)\`, \`Basic base64(token)\`,
\`Basic base64(username:token)\` or \`Basic base64(username:password)\`. After too many failed sign-ins, the
response is 429, even for the right password. Tokens keep working. Every signed-in user may read all users
and projects. With \`DIRECTORY=closed\`, only administrators may read other users and their projects.

## Bodies

Send JSON in UTF-8, declared as \`application/json\` or \`*/*+json\`, without a content coding such as gzip.
Unknown members of a body are ignored. Text is stored in Unicode normalization form C.

## Methods and paths

Every path that supports GET also supports HEAD, whose response has no content. Every path supports OPTIONS.
The response to OPTIONS is 204 (\`/\` and \`/index\`: 200) with \`Allow\`, and also answers CORS preflights.
If a path does not support a method, the response is 405 with \`Allow\`. Paths must match exactly, without a
slash at the end. For an unknown path, the response is 404. The log has the \`X-Request-Id\` of each response.

## Scripts of other origins

A script of an allowed origin may call every operation, if the script itself sends the credentials in
\`Authorization\`. Do not use \`credentials: 'include'\`. Declare every body as \`application/json\`. If a
form or a \`no-cors\` request from another origin has Basic credentials, the response is 403.

## Problems

Every error is \`application/problem+json\` (RFC 9457). The \`type\` of a problem links to
[an explanation](${basePath}/static/problems.html). The part of \`type\` after \`#\` tells programs what is
wrong; the part before \`#\` differs between deployments. If a static file is missing, clients whose
\`Accept\` begins with \`text/html,application/xhtml+xml\` get the error as an HTML page.
`.trim();
