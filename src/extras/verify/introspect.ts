/**
 * `/api/v1/introspect`: a program asks whether a token is valid, and whose it is (RFC 7662). Any signed-in
 * user may ask: only the holder of a token can name it, and could sign in with it as well. So scanning for
 * tokens (§4) gains nothing here. Left out are JWT responses (RFC 9701) and token types other than our own.
 */
import type { Answers } from '../../api/answers.ts';
import { requiredForm } from '../../api/body.ts';
import { operation } from '../../api/operation.ts';
import { findLiveToken } from '../../auth/authenticate.ts';
import { parseToken } from '../../auth/token.ts';
import { jsonTextReply } from '../../http/message.ts';
import {
  boolean, describe, integer, object, oneOf, optional, text, type ValueOf,
} from '../../jsonschema/typed.ts';
import type { Timestamp } from '../../model/clock.ts';
import type { Token } from '../../model/token.ts';
import type { User } from '../../model/user.ts';
import { email, tokenScope, username } from '../../resources/schemas.ts';

const seconds = (description: string, example: number) => optional(integer({ description, example }));

/** The response (RFC 7662 §2.2). For an inactive token, it has no member but `active`. */
const introspection = object({
  active: boolean({ description: 'Whether the token is valid now.', example: true }),
  sub: optional(text({
    description: 'The id of the user. Store this, not the name.', example: '2',
  })),
  username: optional(username),
  email: optional(describe(email, { description: 'It is not verified.' })),
  scope: optional(tokenScope),
  token_type: optional(oneOf(['Bearer'])),
  exp: seconds('When the token expires, in seconds since 1970.', 1_769_865_000),
  iat: seconds('When the token was issued, in seconds since 1970.', 1_769_861_400),
});

const introspected: Answers<ValueOf<typeof introspection>> = {
  responses: [{
    status: 200,
    description: 'The token and its owner; for an invalid token only `active`, which is `false`.',
    content: { 'application/json': { schema: introspection } },
  }],
  reply: (result) => jsonTextReply(200, JSON.stringify(result)),
};

export const introspectOperations = {
  introspectToken: operation({
    method: 'POST',
    path: '/api/v1/introspect',
    access: 'authenticated',
    isRead: true,
    scopes: ['full', 'read_only', 'identity'],
    tag: 'Programs',
    summary: 'Introspect a token',
    description:
      'Token introspection (RFC 7662). `active` is `false` for a token that is unknown, expired or ' +
      'revoked, and for one whose owner is disabled. Sign in with a token of the program. Do not cache the ' +
      'response, so that revocation takes effect at once.',
    body: requiredForm('TokenToIntrospect', object({
      token: text({
        minLength: 1,
        description: 'The token to introspect.',
        example: 'rollcall_YW4gZXhhbXBsZSBmb3IgZG9jdW1lbnRzLCAzMiBieS4TRNNYw',
      }),
      token_type_hint: optional(text({ description: 'Ignored: there is one type of tokens.' })),
    })),
    answers: introspected,
    async handle({ tokens, clock }, { body }) {
      const digest = parseToken(body.token);
      const found = digest && (await findLiveToken(tokens, digest, clock()));
      // A password link is no token for programs.
      return found === undefined || found.token.scope === 'set_password'
        ? { active: false }
        : describeToken(found);
    },
  }),
};

function describeToken({ token, user }: { readonly token: Token; readonly user: User }) {
  return {
    active: true,
    sub: String(user.id),
    username: user.username,
    email: user.email,
    scope: token.scope,
    token_type: 'Bearer' as const,
    exp: toSeconds(token.expiresAt),
    iat: toSeconds(token.dateCreated),
  };
}

/** @returns A NumericDate (RFC 7519 §2), rounded down. */
function toSeconds(timestamp: Timestamp): number {
  return Math.floor(Date.parse(timestamp) / 1_000);
}
