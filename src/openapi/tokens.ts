/** `/api/v1/token` and `/api/v1/tokens`. */
import type { Schema } from '../jsonschema/schema.ts';
import { problems } from '../problems.ts';
import { ITEMS_PER_PAGE_MAX } from '../schemas/parameters.ts';
import { createdTokenSchema, issuedTokenSchema, tokenRecordSchema } from '../schemas/records.ts';
import { jsonContent, type Answer, type OperationDescription } from './description.ts';
import { createdToken, issuedToken, tokenRecord } from './examples.ts';
import { LIST_HEADERS, toLinkExample } from './headers.ts';
import { CONDITIONS, PAGING, queryParameter } from './parameters.ts';

const revokedSchema: Schema = {
  type: 'object',
  required: ['token_status'],
  properties: { token_status: { type: 'string', enum: ['deleted'] } },
};

const tokenListSchema: Schema = {
  type: 'object',
  required: ['tokens'],
  properties: { tokens: { type: 'array', maxItems: ITEMS_PER_PAGE_MAX, items: tokenRecordSchema } },
};

const revoked: readonly Answer[] = [
  {
    status: 200,
    description: 'Revoked, from this moment on; also when nothing was valid.',
    content: jsonContent(revokedSchema, { token_status: 'deleted' }),
  },
];

const username = queryParameter(
  'username',
  'By an administrator: whose tokens. For other callers only their own name is allowed.',
  { type: 'string' },
  'ada',
);

/** @param lifetimeSecondsMax - The longest lifetime that can be asked for. */
export function createTokenOperations(lifetimes: {
  readonly tokenLifetimeSeconds: number;
  readonly tokenLifetimeSecondsMax: number;
}) {
  const { tokenLifetimeSeconds, tokenLifetimeSecondsMax } = lifetimes;
  return {
    issueToken: {
      tag: 'Tokens',
      description:
        'The caller exchanges a password for a token, or a token for another, which expires no later than ' +
        'the first and is revoked with it. Many tokens may be valid at once, each until its own expiration.',
      parameters: [
        queryParameter(
          'expiration',
          'Lifetime in seconds.',
          {
            type: 'integer',
            minimum: 1,
            maximum: tokenLifetimeSecondsMax,
            default: tokenLifetimeSeconds,
          },
          Math.min(3600, tokenLifetimeSecondsMax),
        ),
      ],
      answers: [
        {
          status: 201,
          description: 'The token, which is shown this once.',
          headerExamples: { 'Location': '/api/v1/token' },
          content: jsonContent(issuedTokenSchema, issuedToken),
        },
      ],
      problems: [problems.tooManyTokens()],
    },
    revokeToken: {
      tag: 'Tokens',
      description:
        "Called with a token: that token. Called with a password: all tokens of the caller. Called by an administrator " +
        "with `username`: all tokens of that user; other callers' `username` is ignored.",
      parameters: [
        queryParameter('username', 'Whose tokens, by an administrator; ignored for other callers.', { type: 'string' }, 'ada'),
      ],
      answers: revoked,
      problems: [problems.notFound('user')],
    },
    listTokens: {
      tag: 'Tokens',
      description: 'The valid tokens by ascending id, without their text.',
      parameters: [...PAGING, username],
      answers: [
        {
          status: 200,
          description: 'A page of tokens.',
          headers: LIST_HEADERS,
          headerExamples: toLinkExample('/api/v1/tokens'),
          content: jsonContent(tokenListSchema, { tokens: [tokenRecord] }),
        },
      ],
      problems: [
        problems.forbidden('Only an administrator may see or revoke the tokens of somebody else'),
        problems.notFound('user'),
      ],
    },
    createToken: {
      tag: 'Tokens',
      description:
        'As `POST /api/v1/token`, with a name to recognise the token by, and a scope: a token of scope `read_only` may ' +
        'do what GET does. The body, and every member of it, may be left out.',
      body: {
        name: 'NewToken',
        examples: {
          named: {
            summary: 'For an hour, and all that its owner may do',
            value: { name: 'laptop', expiration: Math.min(3600, tokenLifetimeSecondsMax), scope: 'full' },
          },
          reading: { summary: 'May only read', value: { name: 'dashboard', scope: 'read_only' } },
        },
        refused: { scope: 'write' },
      },
      answers: [
        {
          status: 201,
          description: 'The token, which is shown this once, and its record.',
          headerExamples: { 'Location': '/api/v1/tokens/7' },
          content: jsonContent(createdTokenSchema, createdToken),
        },
      ],
      problems: [problems.tooManyTokens()],
    },
    deleteTokens: {
      tag: 'Tokens',
      description:
        'All valid tokens of the caller end at once, the one in use too. Called by an administrator with `username`: ' +
        'all of that user.',
      parameters: [username],
      answers: revoked,
      problems: [
        problems.forbidden('Only an administrator may see or revoke the tokens of somebody else'),
        problems.notFound('user'),
      ],
    },
    readToken: {
      tag: 'Tokens',
      description: 'Only valid tokens are there, and for everybody but administrators only their own; others are 404.',
      parameters: CONDITIONS,
      answers: [
        {
          status: 200,
          description: 'The record of the token.',
          headers: ['ETag'],
          content: jsonContent(tokenRecordSchema, tokenRecord),
        },
        { status: 304, description: 'The client has the record as it is; no content.', headers: ['ETag'] },
      ],
      problems: [problems.notFound('token')],
    },
    deleteToken: {
      tag: 'Tokens',
      description: 'The token ends at once. For everybody but administrators, only their own tokens are there; others are 404.',
      parameters: CONDITIONS,
      answers: revoked.map((answer) => ({ ...answer, description: 'Revoked, from this moment on.' })),
      problems: [problems.notFound('token')],
    },
  } as const satisfies Readonly<Record<string, OperationDescription>>;
}
