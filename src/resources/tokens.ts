/** `/api/v1/token`: issues and revokes tokens, as specified. */
import { created, done } from '../api/answers.ts';
import { auditContext, LOST_RIGHTS, refuseFailed } from '../api/changes.ts';
import { operation } from '../api/operation.ts';
import { parameter, usernameInQuery } from '../api/parameters.ts';
import { isRefusal, refuse, type Refusal } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { createToken, toLastFour, toTokenDigest } from '../auth/token.ts';
import type { HttpRequest } from '../http/message.ts';
import { integer, object, text, type ValueOf } from '../jsonschema/typed.ts';
import { toTimestamp } from '../model/clock.ts';
import type { Token } from '../model/token.ts';
import type { TokenStore } from '../stores/tokens.ts';
import { expirationDate, withoutZone } from './schemas.ts';

export interface TokenLifetimes {
  readonly tokenLifetimeSeconds: number;
  readonly tokenLifetimeSecondsMax: number;
}

export const tokenText = text({
  pattern: '^rollcall_[A-Za-z0-9_-]{49}$',
  description: 'The token, which is shown only now. Treat it like a password.',
  example: 'rollcall_YW4gZXhhbXBsZSBmb3IgZG9jdW1lbnRzLCAzMiBieS4TRNNYw',
});

const issuedToken = object({ token: tokenText, expiration_date: expirationDate });

export const revoked = done(
  'Revoked. The response is the same when no token was valid.', { token_status: 'deleted' },
);

export const ISSUE_REFUSALS = ['unauthenticated', 'tooManyTokens', 'tooManyConflicts'] as const;

/** The schema of a wanted lifetime. */
export const newLifetime = ({ tokenLifetimeSeconds, tokenLifetimeSecondsMax }: TokenLifetimes) => integer({
  minimum: 1,
  maximum: tokenLifetimeSecondsMax,
  description: `Lifetime in seconds, ${tokenLifetimeSeconds} unless given.`,
  example: Math.min(3_600, tokenLifetimeSecondsMax),
});

export function tokenOperations(lifetimes: TokenLifetimes) {
  return {
    issueToken: operation({
      method: 'POST',
      path: '/api/v1/token',
      access: 'authenticated',
      tag: 'Tokens',
      summary: 'Issue a token',
      description:
        'Exchanges a password for a token. A user may hold several, each valid until it expires or is ' +
        'revoked. A token that was issued with another token expires no later, and is revoked with it.',
      query: { expiration: parameter(newLifetime(lifetimes)) },
      answers: created(issuedToken, 'The token, which is shown only now.', '/api/v1/token'),
      refuses: ISSUE_REFUSALS,
      async handle(services, { query, caller, request }) {
        const lifetimeSeconds = query.expiration ?? lifetimes.tokenLifetimeSeconds;
        const issued = await issue(services, { name: '', scope: 'full', lifetimeSeconds }, caller, request);
        if (isRefusal(issued)) {
          return issued;
        }
        const { text: token, record } = issued;
        const shown: ValueOf<typeof issuedToken> = { token, expiration_date: withoutZone(record.expiresAt) };
        return { json: JSON.stringify(shown), location: '/api/v1/token' };
      },
    }),

    revokeToken: operation({
      method: 'DELETE',
      path: '/api/v1/token',
      access: 'authenticated',
      endsAccess: true,
      tag: 'Tokens',
      summary: 'Revoke the current token',
      description:
        'Revokes the token in use, or with a password every token of the caller. An administrator may name ' +
        'a user, whose tokens are all revoked.',
      query: {
        username: usernameInQuery(
          'The user whose tokens to revoke, for administrators. Ignored for other callers.',
        ),
      },
      answers: revoked,
      refuses: ['noSuchUser', ...LOST_RIGHTS],
      /** Rules 1 to 3 of `DELETE /api/v1/token` in the specification. */
      async handle(services, { query, caller, request }) {
        const { users, tokens } = services;
        const context = auditContext(services, request, caller);
        if (query.username !== undefined && caller.user.isAdmin) {
          const user = await users.find({ name: query.username });
          return user === undefined
            ? refuse('noSuchUser')
            : refuseRevocation(await tokens.revokeAllOf(user, context));
        }
        return refuseRevocation(caller.signIn === 'token'
          ? await tokens.revoke(caller.token, context)
          // With a password, every token is the current one.
          : await tokens.revokeAllOf(caller.user, context));
      },
    }),
  };
}

interface TokenRequest extends Pick<Token, 'name' | 'scope'> {
  readonly lifetimeSeconds: number;
}

/** @returns The text of the token, which is not kept, and its record. */
export async function issue(
  services: Services, { name, scope, lifetimeSeconds }: TokenRequest, caller: Caller, request: HttpRequest,
): Promise<{ readonly text: string; readonly record: Token } | Refusal<(typeof ISSUE_REFUSALS)[number]>> {
  const text = createToken();
  const nowMs = services.clock();
  const outcome = await services.tokens.insert(
    {
      digest: toTokenDigest(text),
      lastFour: toLastFour(text),
      owner: caller.user,
      name,
      scope,
      dateCreated: toTimestamp(nowMs),
      expiresAt: toTimestamp(nowMs + lifetimeSeconds * 1_000),
    },
    auditContext(services, request, caller),
  );
  return outcome.kind === 'refused' ? refuseFailed(outcome) : { text, record: outcome.result };
}

/** Refuses a revocation, except of tokens that are already invalid: they are as good as revoked. */
export function refuseRevocation(outcome: Awaited<ReturnType<TokenStore['revoke']>>) {
  if (outcome.kind === 'changed' || outcome.reason === 'noSuchToken') {
    return undefined;
  }
  return refuseFailed({ ...outcome, reason: outcome.reason });
}
