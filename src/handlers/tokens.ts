/** `/api/v1/token`, as the specification has it, and the issue of tokens that it shares with `/api/v1/tokens`. */
import type { Caller } from '../auth/authenticate.ts';
import { createToken, toLastFour, toTokenDigest } from '../auth/token.ts';
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { toTimestamp, type Timestamp } from '../model/clock.ts';
import type { Token } from '../model/token.ts';
import { problems } from '../problems.ts';
import type { Proof, TokenStore } from '../stores/tokens.ts';
import { toLostRightProblem } from './change.ts';
import { toOrigin } from './origin.ts';
import { readInteger, readText } from './parameters.ts';
import type { Services } from './services.ts';

export const TOKEN_STATUS_DELETED = jsonReply(200, { token_status: 'deleted' });

export async function issueToken(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const { maxSeconds } = services.tokenLifetimes;
  const lifetimeSeconds = readInteger(request.query, { name: 'expiration', min: 1, max: maxSeconds });
  const { text, token } = await issue(services, { name: '', scope: 'full', lifetimeSeconds }, { request, caller });
  const answer = { token: text, expiration_date: withoutZone(token.expiresAt) };
  return jsonReply(201, answer, { 'Location': '/api/v1/token' });
}

/** Rules 1 to 3 of `DELETE /api/v1/token` in the specification. */
export async function revokeToken(services: Services, request: HttpRequest, caller: Caller): Promise<Reply> {
  const { users, tokens } = services;
  const origin = toOrigin(services, request, caller);
  const username = caller.user.isAdmin ? readText(request.query, 'username') : undefined;
  if (username !== undefined) {
    const user = await users.find({ name: username });
    if (user === undefined) {
      throw problems.notFound('user');
    }
    return answerRevocation(await tokens.revokeAllOf(user, origin));
  }
  return answerRevocation(caller.signIn === 'token'
    ? await tokens.revoke(caller.token, origin)
    : await tokens.revokeAllOf(caller.user, origin)); // with a password, every token is the current one
}

/** Nothing to revoke is no failure. */
export function answerRevocation(outcome: Awaited<ReturnType<TokenStore['revoke']>>): Reply {
  switch (outcome.kind) {
    case 'revoked':
    case 'gone':
      return TOKEN_STATUS_DELETED;
    case 'credentials-revoked':
    case 'role-lost':
      throw toLostRightProblem(outcome);
  }
}

/** What is asked for; without a lifetime the default applies. */
interface Wish extends Pick<Token, 'name' | 'scope'> {
  readonly lifetimeSeconds: number | undefined;
}

/** @returns The text of the token, which is not kept, and what is. */
export async function issue(
  services: Services,
  { name, scope, lifetimeSeconds = services.tokenLifetimes.defaultSeconds }: Wish,
  { request, caller }: { readonly request: HttpRequest; readonly caller: Caller },
): Promise<{ readonly text: string; readonly token: Token }> {
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
      expiresAt: toTimestamp(nowMs + lifetimeSeconds * 1000),
    },
    toProof(caller),
    toOrigin(services, request, caller),
  );
  switch (outcome.kind) {
    case 'inserted':
      return { text, token: outcome.token };
    case 'proof-void': // since the caller signed in
      throw problems.unauthenticated();
    case 'too-many-tokens':
      throw problems.tooManyTokens();
  }
}

function toProof(caller: Caller): Proof {
  return caller.signIn === 'password'
    ? { kind: 'password', passwordVersion: caller.passwordVersion }
    : { kind: 'token', tokenId: caller.token.id };
}

/** The specification wants this one date without a zone designator; it is UTC all the same. */
export function withoutZone(timestamp: Timestamp): string {
  return timestamp.slice(0, -1);
}
