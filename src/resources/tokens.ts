/** Issues and revokes tokens, at `/api/v1/token`. */
import { operation } from '../api/operation.ts';
import { isRefusal, refuse, resultOf } from '../api/problems.ts';
import { created, words } from '../api/replies.ts';
import type { Services } from '../api/services.ts';
import type { Caller } from '../auth/authenticate.ts';
import { integer, text } from '../jsonschema/schema.ts';
import type { Origin } from '../model/audit.ts';
import { toTimestamp, type Timestamp } from '../model/clock.ts';
import { createToken, type Token } from '../model/token.ts';
import type { TokenStore } from '../stores/tokens.ts';

export interface TokenLifetimes {
  readonly tokenLifetimeSeconds: number;
  readonly tokenLifetimeSecondsMax: number;
}

export const revoked = words({ token_status: 'deleted' });

export const ISSUE_REFUSALS = ['unauthenticated', 'tooManyTokens'] as const;

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
      refuses: ISSUE_REFUSALS,
      async handle(services, { query, caller, origin }) {
        const lifetimeSeconds = query.expiration ?? lifetimes.tokenLifetimeSeconds;
        const purpose = { name: '', scope: 'full', audience: undefined } as const;
        const issued = await issue(services, purpose, lifetimeSeconds, caller, origin());
        if (isRefusal(issued)) {
          return issued;
        }
        const { token, record: { expiresAt } } = issued;
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
          // A token with an audience or a narrow scope may revoke only itself.
          return token?.audience !== undefined ? refuse('tokenForPrograms')
            : token !== undefined && token.scope !== 'full' ? refuse('scopeTooNarrow', token.scope)
            : revocationOf(await tokens.revokeAllOf({ name }, origin()));
        }
        // A sign-in with a password has no current token. The call then revokes all tokens of the account.
        return revocationOf(token === undefined
          ? await tokens.revokeAllOf(user, origin())
          : await tokens.revoke(token, origin()));
      },
    }),
  };
}

/** @returns The token itself, which the database does not contain, and the record of the token. */
export async function issue(
  { tokens }: Services, purpose: Pick<Token, 'name' | 'scope' | 'audience'>, lifetimeSeconds: number,
  { user: { id: userId } }: Caller, origin: Origin,
) {
  const { text: token, ...stored } = createToken();
  const expiresAt = toTimestamp(Date.parse(origin.at) + lifetimeSeconds * 1_000);
  const record = resultOf(await tokens.insert({ ...purpose, ...stored, userId, expiresAt }, origin));
  return isRefusal(record) ? record : { token, record };
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
