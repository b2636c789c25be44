/**
 * The texts of the API document: an introduction, and sentences about operations. All other parts of the
 * document are generated from the operations: access, scopes, refusals, bounds, and the shape of each kind of
 * reply. A test finds operations whose text is missing.
 */
import { text, type TypedSchema } from '../../jsonschema/typed.ts';
import type { HeaderName } from './headers.ts';
import {
  auditEvent, caller, createdToken, createdUser, introspection, issuedToken,
  passwordLink, project, tokenRecord, user,
} from './records.ts';
import type { Sentences } from './sentences.ts';

/** Schemas of the content of a response, by media type. */
type Media = Readonly<Record<string, TypedSchema<unknown> | 'binary'>>;

export type ResponseText =
  readonly [status: number, description: string, headers?: readonly HeaderName[], content?: Media];

export interface OperationText {
  readonly description?: string;
  /** The schema of the record in the response. If the response is a list, the schema of one item. */
  readonly shows?: TypedSchema<unknown>;
  /** Header fields that the response has in addition to the usual fields. */
  readonly headers?: readonly HeaderName[];
  /** The responses of an operation that builds its replies with `custom`. */
  readonly responses?: readonly ResponseText[];
  /** Sentences about parameters and members that have a special meaning in this operation. */
  readonly own?: Sentences;
  readonly bodyExample?: object;
}

export const UNCHANGED: ResponseText = [304, 'The client already has the current state.', ['ETag']];

const fileResponses = (content: Media): readonly ResponseText[] => [
  [200, 'The file.', ['ETag'], content],
  [206, 'The requested bytes of the file, never compressed.', ['ETag', 'Content-Range'], { '*/*': 'binary' }],
  UNCHANGED,
];

const MAY_PASS = 'The proxy may send the request of the client to the program.';
const IDENTITY = ['Remote-User-Id', 'Remote-User', 'Remote-Email', 'Remote-Groups'] as const;
const OWNER = { username: ['The owner of the tokens; by default, the caller.', 'ada'] } as const;

/** The sentences about each operation, by its id. The id `listUsers` becomes the summary "List users". */
export const texts: Readonly<Record<string, OperationText>> = {
  issueToken: {
    description: 'If you use a token to issue a new token, the new token expires no later than yours.',
    shows: issuedToken,
  },
  revokeToken: {
    description:
      'Revokes the token of this request, or all your tokens if you sign in with a password. ' +
      'The response is the same even if no token was valid.',
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
      'Shows your account, and how you signed in. A token of the scope `identity` shows no projects. ' +
      'To change your account with `If-Match`, use the `ETag` of `/api/v1/users/{username_or_id}`.',
    shows: caller,
    headers: ['Link'],
  },
  listUsers: { description: 'Lists users with their projects.', shows: user },
  createUser: {
    description: 'Administrators may leave out the password, and invite the user with a password link.',
    shows: createdUser,
    bodyExample: { username: 'ada', password: 'a long phrase only Ada knows', email: 'ada@example.org' },
  },
  readUser: { shows: user, headers: ['Link'] },
  updateUser: { shows: user, bodyExample: { email: 'ada@example.org' } },
  deleteUser: { description: 'Revokes all tokens of the deleted user. Another user may take the username.' },
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
      owner: ['Finds projects of this user. Case is ignored. For an unknown user, the status is 400.', 'ada'],
    },
    shows: project,
  },
  createProject: { shows: project, bodyExample: { name: 'notes', description: 'On the Analytical Engine' } },
  readProject: { shows: project },
  updateProject: { shows: project, bodyExample: { description: 'On the Analytical Engine' } },
  deleteProject: { description: 'Another project may take the name of the deleted project.' },

  verifyRequest: {
    description:
      'For each request, a reverse proxy first calls this operation with the credentials of the client. ' +
      'The proxy passes the fields `Remote-*` of the response on to the program. ' +
      'If `TRUST_PROXY` does not list the proxy, `X-Forwarded-Method` and `X-Forwarded-Host` are ignored. ' +
      'With a `read_only` token, only GET, HEAD, OPTIONS, PROPFIND and REPORT are allowed. ' +
      'A token with an `audience` is valid only if the `audience` lists the host in `X-Forwarded-Host`. ' +
      'With Basic credentials, a change from a page of another origin is refused.',
    responses: [[204, MAY_PASS, IDENTITY]],
  },
  verifyProject: {
    description:
      'Works like `/api/v1/verify`, but accepts only administrators and the owner of the project. ' +
      'The query is ignored. If the project is unknown, the response is 403.',
    responses: [[204, MAY_PASS, [...IDENTITY, 'Remote-Project-Id', 'Remote-Project']]],
  },
  introspectToken: {
    description:
      'Tells a program who owns a token (RFC 7662). ' +
      '`active` is `false` for an unknown, expired or revoked token, and for a token of a disabled user. ' +
      'The program must sign in with a token of its own. ' +
      'If the program keeps the response for a minute, a revoked token may work for a minute more.',
    responses: [
      [200, 'An invalid token yields only `active: false`.', [], { 'application/json': introspection }],
    ],
    bodyExample: { token: issuedToken.example?.token },
  },

  listAuditEvents: {
    description:
      'Each change and its audit event are stored in one transaction. ' +
      'The table of audit events refuses updates and deletions. ' +
      'The service counts failed sign-ins by user and address, and records the counts once a minute.',
    own: {
      username: ['Finds changes that this user made, and changes to this user. Use the current name.', 'ada'],
    },
    shows: auditEvent,
  },

  greet: { headers: ['Refresh', 'Link'] },
  greetAtIndex: { headers: ['Refresh', 'Link'] },
  readStaticFile: {
    description: 'A path that ends in `/` means the file `index.html` in the folder. Case matters in paths.',
    responses: [
      ...fileResponses({ '*/*': 'binary' }),
      [302, 'For a folder, sends browsers to the same path with a slash at the end.', ['Location']],
    ],
  },
  readApiDescription: {
    description: 'The file `/static/openapi.json` has the same bytes as this document.',
    responses: fileResponses({
      'application/json': { json: { type: 'object' }, example: { openapi: '3.0.4' } },
    }),
  },
  reportLiveness: { description: 'A probe for orchestrators. The response does not depend on the database.' },
  reportReadiness: { description: 'While the response is 503, load balancers should send no requests.' },
  reportMetrics: {
    responses: [[200, 'The metrics in the text format 0.0.4 of Prometheus.', [], {
      'text/plain': text({ example: 'http_server_active_requests 1\n' }),
    }]],
  },
};

/** The text before the operations, in CommonMark. */
export const introduction = (basePath: string): string => `
Manage users, the projects they own, and the tokens they sign in with.
[Guides](${basePath}/static/guides/) explain signing in, lists, changes and errors, with commands to copy.

## Signing in

Send credentials in \`Authorization\`, in one of four forms: \`Basic base64(username:password)\`,
\`Basic base64(token:)\`, \`Basic base64(token)\` and \`Bearer token\`. After too many failed sign-ins, the
response is 429, even for the right password. Tokens keep working. Every signed-in user may read all users
and projects. With \`DIRECTORY=closed\`, only administrators may read other users and their projects.

## Bodies

Send JSON in UTF-8, declared as \`application/json\` or \`*/*+json\`, without a content coding such as gzip.
Unknown members of a body are ignored. Text is stored in Unicode normalization form C.

## Methods and paths

Every path that supports GET also supports HEAD, whose response has no content. Every path supports OPTIONS.
The response to OPTIONS is 204 with \`Allow\`, and also answers CORS preflights. If a path does not support
a method, the response is 405 with \`Allow\`. Paths must match exactly, without a slash at the end. For an
unknown path, the response is 404. With the \`X-Request-Id\` of a response, the operator finds the request in
the log.

## Scripts of other origins

A script of an allowed origin may call every operation, if the script itself sends the credentials in
\`Authorization\`. Do not use \`credentials: 'include'\`. Declare every body as \`application/json\`. If a
form or a \`no-cors\` request from another origin has Basic credentials, the response is 403.

## Problems

Every error is \`application/problem+json\` (RFC 9457). The \`type\` of a problem tells programs what is
wrong, and is a link to [an explanation](${basePath}/static/problems.html). If a static file is missing,
clients whose \`Accept\` begins with \`text/html,application/xhtml+xml\` get an HTML page instead.
`.trim();
