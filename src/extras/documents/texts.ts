/**
 * The sentences about operations in the API document. All other parts of the document are generated from the
 * operations: access, scopes, refusals, bounds, and the shape of each kind of reply. A test finds operations
 * whose text is missing.
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
  /** The record that the operation shows, or one item, if the operation shows a list. */
  readonly shows?: TypedSchema<unknown>;
  /** Header fields in addition to the fields that each reply of the same kind has. */
  readonly headers?: readonly HeaderName[];
  /** The responses of an operation whose kind of reply is `custom`. */
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

const MAY_PASS = 'The request of the client may pass.';
const IDENTITY = ['Remote-User-Id', 'Remote-User', 'Remote-Email', 'Remote-Groups'] as const;
const OWNER = { username: ['The owner of the tokens; by default, the caller.', 'ada'] } as const;

/** The sentences about each operation, by its id. The id `listUsers` becomes the summary "List users". */
export const texts: Readonly<Record<string, OperationText>> = {
  issueToken: {
    description: 'If you use a token to issue another token, the new token does not outlive the first.',
    shows: issuedToken,
  },
  revokeToken: {
    description:
      'Revokes the token of this request, or all your tokens if you sign in with a password. ' +
      'The response is the same even if no token was valid.',
    own: { username: ['An administrator who names a user revokes all tokens of this user.', 'ada'] },
  },
  listTokens: {
    description: 'Lists valid tokens. With `all_users` and `last_four`, administrators find a leaked token.',
    own: OWNER,
    shows: tokenRecord,
  },
  createToken: {
    description: 'Issues a token, like `POST /api/v1/token`. The body and all its members are optional.',
    own: { name: 'A name by which you recognise the token. Invisible characters are refused.' },
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
      'Shows your account and sign-in. With a token of the scope `identity`, the response has no projects. ' +
      'For a conditional change, use the `ETag` of `/api/v1/users/{username_or_id}`.',
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
  deleteUser: { description: 'Revokes all tokens of the deleted user. The username becomes free.' },
  changePassword: {
    description:
      'To change your own password, send your current password, or use the token of a password link. ' +
      'All tokens of the user are revoked, except the token of this request if its scope is `full`.',
    bodyExample: { password: 'a long phrase only Ada knows', current_password: 'the one before' },
  },
  createPasswordLink: {
    description: 'With the link, the user can set a password once, within a day. Older links are revoked.',
    shows: passwordLink,
  },

  listProjects: {
    description: 'A JSON body may name the `owner`. If the query names an `owner`, the query has precedence.',
    own: { owner: ['Finds only projects of this user. Case is ignored. An unknown name gets 400.', 'ada'] },
    shows: project,
  },
  createProject: { shows: project, bodyExample: { name: 'notes', description: 'On the Analytical Engine' } },
  readProject: { shows: project },
  updateProject: { shows: project, bodyExample: { description: 'On the Analytical Engine' } },
  deleteProject: { description: 'The name of the deleted project becomes free.' },

  verifyRequest: {
    description:
      'Before each request, a reverse proxy calls this operation with the credentials of its client. ' +
      'The proxy passes the fields `Remote-*` of the response on to the program. ' +
      '`X-Forwarded-Method` and `X-Forwarded-Host` count only if `TRUST_PROXY` lists the proxy. ' +
      'With a `read_only` token, only GET, HEAD, OPTIONS, PROPFIND and REPORT pass. ' +
      'A token with an `audience` passes only if the `audience` lists the host in `X-Forwarded-Host`. ' +
      'A change from a page of another origin does not pass with Basic credentials.',
    responses: [[204, MAY_PASS, IDENTITY]],
  },
  verifyProject: {
    description:
      'Works like `/api/v1/verify`, but lets only administrators and the owner of the project pass. ' +
      'The query is ignored. If the project is unknown, the response is 403.',
    responses: [[204, MAY_PASS, [...IDENTITY, 'Remote-Project-Id', 'Remote-Project']]],
  },
  introspectToken: {
    description:
      'Tells a program who owns a token (RFC 7662). ' +
      '`active` is `false` if the token is unknown, expired or revoked, or if its owner is disabled. ' +
      'The program must sign in with a token of its own. ' +
      'If the program keeps the response for a minute, a revoked token may work for a minute more.',
    responses: [
      [200, 'For an invalid token, the only member is `active`.', [], { 'application/json': introspection }],
    ],
    bodyExample: { token: issuedToken.example?.token },
  },

  listAuditEvents: {
    description:
      'Each change and its audit event are stored in one transaction. ' +
      'The table of audit events refuses updates and deletions. ' +
      'Failed sign-ins are counted for each user and address, and recorded once a minute.',
    own: { username: ['Finds only changes by or to the user who has this name now.', 'ada'] },
    shows: auditEvent,
  },

  greet: { headers: ['Refresh', 'Link'] },
  greetAtIndex: { headers: ['Refresh', 'Link'] },
  readStaticFile: {
    description: 'A path that ends in `/` means the file `index.html` of the folder. Case matters in paths.',
    responses: [
      ...fileResponses({ '*/*': 'binary' }),
      [302, 'Sends browsers to the path of the folder with a slash at the end.', ['Location']],
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
