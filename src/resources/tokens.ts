/** Issues and revokes tokens, at `/api/v1/token`. */
import { operation } from '../api/operation.ts';
import { isRefusal, refuse, resultOf } from '../api/problems.ts';
import { created, words } from '../api/replies.ts';
import { integer, text } from '../jsonschema/schema.ts';
import type { Timestamp } from '../model/clock.ts';
import type { Token } from '../model/token.ts';
import type { TokenStore } from '../stores/tokens.ts';

export interface TokenLifetimes {
  readonly tokenLifetimeSeconds: number;
  readonly tokenLifetimeSecondsMax: number;
}

export const revoked = words({ token_status: 'deleted' });

export const newLifetime = ({ tokenLifetimeSecondsMax }: TokenLifetimes) =>
  integer({ minimum: 1, maximum: tokenLifetimeSecondsMax });

export function tokenOperations(lifetimes: TokenLifetimes) {
  return {
    issueToken: operation({
      method: 'POST',
      path: '/api/v1/token',
      access: 'authenticated',
      query: { expiration: newLifetime(lifetimes) },
      replies: created('/api/v1/token'),
      refuses: ['unauthenticated', 'tooManyTokens'],
      async handle({ tokens }, { query, caller: { user: { id: userId } }, origin }) {
        const lifetimeSeconds = query.expiration ?? lifetimes.tokenLifetimeSeconds;
        const newToken = { userId, name: '', scope: 'full', audience: undefined, lifetimeSeconds } as const;
        const issued = resultOf(await tokens.insert(newToken, origin()));
        if (isRefusal(issued)) {
          return issued;
        }
        const { text: token, expiresAt } = issued;
        return { json: JSON.stringify({ token, expiration_date: withoutZone(expiresAt) }) };
      },
    }),

    revokeToken: operation({
      method: 'DELETE',
      path: '/api/v1/token',
      access: 'authenticated',
      isUncounted: true,
      scopes: ['full', 'read_only', 'identity'],
      acceptsAudience: true,
      query: { username: text() },
      replies: revoked,
      refuses: ['unauthenticated', 'noSuchUser', 'tokenForPrograms', 'scopeTooNarrow', 'ownTokensOnly'],
      /** Follows the rules 1 to 3 of `DELETE /api/v1/token` in the specification. */
      async handle({ tokens }, { query: { username: name }, caller: { user, token }, origin }) {
        if (name !== undefined && user.isAdmin) {
          // A token with an audience or a narrow scope can revoke only itself.
          return token?.audience !== undefined ? refuse('tokenForPrograms')
            : token !== undefined && token.scope !== 'full' ? refuse('scopeTooNarrow', token.scope)
            : revocationOf(await tokens.revokeAllOf({ name }, origin()));
        }
        // A sign-in with a password has no current token, so the call revokes all tokens of the account.
        return revocationOf(token === undefined
          ? await tokens.revokeAllOf(user, origin())
          : await tokens.revoke(token, origin()));
      },
    }),
  };
}

/** A revocation succeeds even if the token is already invalid. */
export function revocationOf(outcome: Awaited<ReturnType<TokenStore['revokeAllOf' | 'revoke']>>) {
  return outcome.kind === 'refused' && outcome.reason === 'noSuchToken' ? undefined : resultOf(outcome);
}

export const toTokenRecord = (token: Token) => ({
  id: token.id,
  name: token.name,
  last_four: token.lastFour,
  scope: token.scope,
  audience: token.audience ?? null,
  date_created: token.dateCreated,
  expiration_date: withoutZone(token.expiresAt),
  last_used: token.lastUsed ?? null,
});

/** The specified format of expiration dates has no time zone. */
export const withoutZone = (timestamp: Timestamp): string => timestamp.slice(0, -1);
