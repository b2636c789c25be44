/** The sentences about operations on tokens. */
import type { tokenOperations } from '../../../resources/tokens.ts';
import type { tokenCollectionOperations } from '../../tokens/tokens.ts';
import { createdToken, issuedToken, listedToken, tokenRecord } from '../records.ts';
import {
  lifetimeText, pagingTexts, SORT, type Sentences, type TextSettings, type TextsOf,
} from '../text.ts';

const REVOKED = { description: 'Revoked. The response is the same when no token was valid.' };
const TOKEN_ID: Sentences = {
  description: 'The id of a token, as lists show it; not the token itself.', example: 7,
};
const OWNER: Sentences = {
  description: 'The owner of the tokens, for administrators. Other callers may only give their own name.',
  example: 'ada',
};

type Texts = TextsOf<ReturnType<typeof tokenOperations> & ReturnType<typeof tokenCollectionOperations>>;

export const tokenTexts = (settings: TextSettings): Texts => ({
  issueToken: {
    tag: 'Tokens',
    summary: 'Issue a token',
    description:
      'Exchanges a password for a token. A user may hold several, each valid until it expires or is ' +
      'revoked. A token that was issued with another token expires no later, and is revoked with it.',
    query: { expiration: lifetimeText(settings) },
    reply: {
      description: 'The token, which is shown only now.', schema: issuedToken,
      headerExamples: { Location: '/api/v1/token' },
    },
  },
  revokeToken: {
    tag: 'Tokens',
    summary: 'Revoke the current token',
    description:
      'Revokes the token in use, or with a password every token of the caller. An administrator may name ' +
      'a user, whose tokens are all revoked. A token with an `audience` may only revoke itself.',
    query: {
      username: {
        description: 'The user whose tokens to revoke, for administrators. Ignored for other callers.',
        example: 'ada',
      },
    },
    reply: REVOKED,
  },

  listTokens: {
    tag: 'Tokens',
    summary: 'List tokens',
    description:
      'The valid tokens of the caller, without their text; for an administrator, ' +
      'those of a named user or of all users. To revoke a token that has leaked, find its record with ' +
      '`all_users=true` and `last_four`.',
    query: {
      username: OWNER,
      all_users: {
        description: 'Whether to list the tokens of all users, for administrators. Not with `username`.',
        example: 'true',
      },
      last_four: {
        description: 'Only tokens that end with these four characters. Case matters.', example: 'NNYw',
      },
      long_lived: {
        description:
          'Whether to leave out tokens that were created for a day or less, such as sessions of the console.',
        example: 'true',
      },
      sort: SORT,
      ...pagingTexts,
    },
    item: listedToken,
  },
  createToken: {
    tag: 'Tokens',
    summary: 'Create a named token',
    description:
      'Like `POST /api/v1/token`, with a name and a scope. The body and its members may be left out.',
    body: {
      name: 'NewToken',
      members: {
        name: {
          description: 'A name by which you recognise the token, without invisible characters; may be empty.',
          example: 'laptop',
        },
        expiration: lifetimeText(settings),
        scope: {
          description: '`full` unless given. `identity` is for a token that you give to a program.',
          example: 'full',
        },
        audience: {
          description:
            'The programs that the token is for: up to 10 host names, each with its port unless that is 80 ' +
            'or 443. `/api/v1/verify` then accepts the token only for these, and this service only to ' +
            'revoke it. Without this member, the token is for every program and for this service.',
          example: ['wiki.example.org'],
        },
      },
    },
    reply: {
      description: 'The token, which is shown only now, and its record.', schema: createdToken,
      headerExamples: { Location: '/api/v1/tokens/7' },
    },
  },
  deleteTokens: {
    tag: 'Tokens',
    summary: 'Revoke all tokens',
    description:
      'Revokes every token of the caller, the one in use included; for an administrator, ' +
      'those of a named user. Parameters that only filter or sort lists are refused.',
    query: { username: OWNER },
    reply: REVOKED,
  },
  readToken: {
    tag: 'Tokens',
    summary: "Get a token's details",
    description: 'Finds valid tokens of the caller only; administrators find those of every user.',
    path: { token_id: TOKEN_ID },
    reply: { description: 'The record of the token.', schema: tokenRecord },
  },
  deleteToken: {
    tag: 'Tokens',
    summary: 'Revoke a token',
    description: 'Finds valid tokens of the caller only; administrators find those of every user.',
    path: { token_id: TOKEN_ID },
    reply: REVOKED,
  },
});
