/**
 * The sentences about operations. They leave out what the document takes from the operations themselves:
 * access, scopes, refusals, bounds, and the shape of each kind of reply. A test finds a missing text.
 */
import { text, type TypedSchema } from '../../jsonschema/typed.ts';
import type { HeaderName } from './headers.ts';
import {
  auditEvent, caller, createdToken, createdUser, introspection, issuedToken,
  passwordLink, project, tokenRecord, user,
} from './records.ts';
import type { Sentences } from './sentences.ts';

/** A response of an operation that does not reply in one of the common ways. */
export interface ResponseText {
  readonly status: number;
  readonly description: string;
  readonly headers?: readonly HeaderName[];
  /** By media type. `binary` is bytes of any kind. */
  readonly content?: Readonly<Record<string, TypedSchema<unknown> | 'binary'>>;
}

export interface OperationText {
  /** A few words in the imperative. */
  readonly summary: string;
  /** In CommonMark. */
  readonly description?: string;
  /** The record of the reply, or an item of the list. */
  readonly shows?: TypedSchema<unknown>;
  /** The header fields of the reply, in addition to the usual fields of its kind. */
  readonly headers?: readonly HeaderName[];
  readonly responses?: readonly ResponseText[];
  /** Replaces sentences about names that mean something else here. */
  readonly own?: Sentences;
  /** Present if the examples of all members do not make a good body together. */
  readonly bodyExample?: object;
}

export const UNCHANGED: ResponseText = {
  status: 304, description: 'The client already has this state; no content.', headers: ['ETag'],
};

const fileResponses = (content: NonNullable<ResponseText['content']>): readonly ResponseText[] => [
  { status: 200, description: 'The file.', headers: ['ETag'], content },
  {
    status: 206, description: 'The part that `Range` asks for. It is never compressed.',
    headers: ['ETag', 'Content-Range'], content: { '*/*': 'binary' },
  },
  UNCHANGED,
];

const GREET = { summary: 'Get a greeting', headers: ['Refresh', 'Link'] } as const;
const GREET_WITH_OPTIONS = { summary: 'Get a greeting and answer a preflight' };
const MAY_PASS = { status: 204, description: 'The client may pass.' };
const IDENTITY = ['Remote-User-Id', 'Remote-User', 'Remote-Email', 'Remote-Groups'] as const;
const OWNER = { username: ['The owner of the tokens, the caller unless given.', 'ada'] } as const;

/** The sentences about each operation, by its id. */
export const texts: Readonly<Record<string, OperationText>> = {
  issueToken: {
    summary: 'Issue a token',
    description: 'A token that was issued with another token expires no later, and is revoked with it.',
    shows: issuedToken,
  },
  revokeToken: {
    summary: 'Revoke the current token',
    description:
      'Revokes the token in use, or with a password every token of the caller. The response is the same ' +
      'when no token was valid. A token with an `audience` may only revoke itself.',
    own: { username: ['For administrators: revokes every token of this user. Otherwise ignored.', 'ada'] },
  },
  listTokens: {
    summary: 'List tokens',
    description:
      'Valid tokens, without their text. To revoke a token that has leaked, find its record with ' +
      '`all_users=true` and `last_four`.',
    own: OWNER,
    shows: tokenRecord,
  },
  createToken: {
    summary: 'Create a named token',
    description: 'Like `POST /api/v1/token`. The body and its members may be left out.',
    own: { name: ['A name by which you recognise the token, without invisible characters.', 'laptop'] },
    shows: createdToken,
  },
  deleteTokens: {
    summary: 'Revoke all tokens',
    description: 'Includes the token in use. Parameters that only filter or sort lists are refused.',
    own: OWNER,
  },
  readToken: {
    summary: "Get a token's details",
    description: 'Finds valid tokens of the caller only; administrators find those of every user.',
    shows: tokenRecord,
  },
  deleteToken: { summary: 'Revoke a token', description: 'Finds the same tokens as GET.' },

  readCaller: {
    summary: 'Get the caller',
    description:
      'Your account, and how you signed in. A token of the scope `identity` does not see your projects. ' +
      'For a conditional change, use the `ETag` of `/api/v1/users/{username_or_id}`, not this one.',
    shows: caller,
    headers: ['Link'],
  },
  listUsers: { summary: 'List users', description: 'Users with their projects.', shows: user },
  createUser: {
    summary: 'Register a user',
    description: 'Administrators may leave the password out, to invite the user with a password link.',
    shows: createdUser,
  },
  readUser: { summary: 'Get a user', shows: user, headers: ['Link'] },
  updateUser: { summary: 'Change a user', shows: user, bodyExample: { email: 'ada@example.org' } },
  deleteUser: {
    summary: 'Delete a user',
    description: 'Revokes their tokens and frees the username; the id is never used again.',
  },
  changePassword: {
    summary: 'Change a password',
    description: 'The token of a password link replaces the current one. All other tokens are revoked.',
  },
  createPasswordLink: {
    summary: 'Create a password link',
    description: 'A link sets a new password of the user, once, within a day. An older link ends.',
    shows: passwordLink,
  },

  listProjects: {
    summary: 'List projects',
    description:
      'A request may have a JSON object as its body. Its member `owner` works like the query parameter, ' +
      'which takes precedence.',
    own: { owner: ['Only projects of this user. Case is ignored; an unknown user is 400.', 'ada'] },
    shows: project,
  },
  createProject: { summary: 'Create a project', shows: project },
  readProject: { summary: 'Get a project', shows: project },
  updateProject: {
    summary: 'Change a project', shows: project, bodyExample: { description: 'On the Analytical Engine' },
  },
  deleteProject: {
    summary: 'Delete a project', description: 'The name becomes free; the id is never used again.',
  },

  verifyRequest: {
    summary: 'Verify a request for a proxy',
    description:
      'A reverse proxy asks with the credentials of its client before each request, and passes the fields ' +
      '`Remote-*` on to the program. `X-Forwarded-Method` and `X-Forwarded-Host`, from a proxy in ' +
      '`TRUST_PROXY`, describe the request of the client: a `read_only` token passes with GET, HEAD, ' +
      'OPTIONS, PROPFIND and REPORT only, a token with an `audience` only for one of its hosts, and a ' +
      'change from a page of another origin does not pass with Basic credentials.',
    responses: [{ ...MAY_PASS, headers: IDENTITY }],
  },
  verifyProject: {
    summary: 'Verify that a client owns a project',
    description: 'As without a project. An unknown or hidden project is 403, too. The query is ignored.',
    responses: [{ ...MAY_PASS, headers: [...IDENTITY, 'Remote-Project-Id', 'Remote-Project'] }],
  },
  introspectToken: {
    summary: 'Introspect a token',
    description:
      'Token introspection (RFC 7662). `active` is `false` for a token that is unknown, expired or ' +
      'revoked, and for one whose owner is disabled. Sign in with a token of the program. A ' +
      'response that is kept for a minute delays a revocation by a minute.',
    responses: [{
      status: 200,
      description: 'The token and its owner; for an invalid token only `active`.',
      content: { 'application/json': introspection },
    }],
  },

  listAuditEvents: {
    summary: 'List audit events',
    description:
      'Each event is stored together with its change, in a table that refuses updates and deletions. ' +
      'Failed sign-ins are counted for each user and address, and recorded once a minute.',
    own: { username: ['Only changes by or to the user who has this name now. Case is ignored.', 'ada'] },
    shows: auditEvent,
  },

  greet: GREET,
  greetWithOptions: GREET_WITH_OPTIONS,
  greetAtIndex: GREET,
  greetAtIndexWithOptions: GREET_WITH_OPTIONS,
  readStaticFile: {
    summary: 'Get a static file',
    description: 'A path that ends in `/` serves the `index.html` below it. Case matters.',
    responses: [...fileResponses({ '*/*': 'binary' }), {
      status: 302,
      description: 'For browsers, to the same path with a slash, where that has a page.',
      headers: ['Location'],
    }],
  },
  readApiDescription: {
    summary: 'Get this document',
    description: 'Generated from the operations themselves. `/static/openapi.json` has the same bytes.',
    responses: fileResponses({
      'application/json': { json: { type: 'object' }, example: { openapi: '3.0.4' } },
    }),
  },
  reportLiveness: {
    summary: 'Check that the process responds', description: 'For orchestrators. Depends on nothing else.',
  },
  reportReadiness: {
    summary: 'Check that the service can take requests', description: 'For load balancers.',
  },
  reportMetrics: {
    summary: 'Get metrics for Prometheus',
    responses: [{
      status: 200,
      description: 'The metrics in the text format 0.0.4.',
      content: { 'text/plain': text({ example: 'http_server_active_requests 1\n' }) },
    }],
  },
};
