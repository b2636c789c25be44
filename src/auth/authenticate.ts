/**
 * Decides who is calling. An unknown user takes the same work and has the same outcome as a wrong password,
 * so nobody learns which names exist. Unknown, expired and revoked tokens have that outcome, too.
 */
import { toTimestamp, type Clock, type Timestamp } from '../model/clock.ts';
import { toNameKey, type NameKey } from '../model/name.ts';
import type { Token, TokenDigest } from '../model/token.ts';
import type { Account, User } from '../model/user.ts';
import type { Client } from './client.ts';
import { parseCredentials } from './credentials.ts';
import type { CheckPassword, Postponed } from './password-check.ts';
import type { Throttle } from './throttle.ts';
import { createTokenUseNotes, type RecordTokenUse } from './token-use.ts';
import { parseToken } from './token.ts';

/** The authenticated user of a request, and how they signed in. */
export type Caller =
  | { readonly signIn: 'password'; readonly user: User; readonly passwordVersion: number }
  | { readonly signIn: 'token'; readonly user: User; readonly token: Token };

type AuthenticationOutcome =
  | { readonly kind: 'authenticated'; readonly caller: Caller }
  | { readonly kind: 'rejected' }
  | Postponed;

/** A token with its owner. */
interface LiveToken {
  readonly token: Token;
  readonly user: User;
}

/** The part of `stores/tokens.ts` that authentication needs. */
interface TokenSource {
  /** Finds a token that is valid at `now`, of a user who is not disabled. */
  findWithOwner(digest: TokenDigest, now: Timestamp): Promise<LiveToken | undefined>;
  readonly recordUse: RecordTokenUse;
}

interface AuthenticatorParts {
  /** The part of `stores/users.ts` that authentication needs. */
  readonly users: { findWithPassword(username: NameKey): Promise<Account | undefined> };
  readonly tokens: TokenSource;
  /** Called with the reason when the use of tokens cannot be recorded. */
  readonly onUseUnrecorded: (error: unknown) => void;
  readonly checkPassword: CheckPassword;
  readonly throttle: Pick<Throttle, 'secondsToWait'>;
  readonly clock: Clock;
}

/** @param authorization - The `Authorization` field as received. */
export type Authenticate =
  (authorization: string | undefined, client: Client) => Promise<AuthenticationOutcome>;

const REJECTED: AuthenticationOutcome = { kind: 'rejected' };

export function createAuthenticator(parts: AuthenticatorParts): Authenticate {
  const { users, tokens, checkPassword, throttle, clock } = parts;
  const noteUse = createTokenUseNotes(tokens.recordUse, parts.onUseUnrecorded, clock);

  return async (authorization, client) => {
    const credentials = parseCredentials(authorization);
    switch (credentials.kind) {
      case 'password':
        return authenticatePassword(toNameKey(credentials.username), credentials.password, client);
      case 'token':
        return authenticateToken(credentials.token, credentials.username);
      case 'malformed':
        return REJECTED;
    }
  };

  async function authenticatePassword(
    name: NameKey, password: string, client: Client,
  ): Promise<AuthenticationOutcome> {
    // Comes before the look-up, which on a cluster costs an entry in the log of every node.
    const retryAfterSeconds = throttle.secondsToWait({ address: client.address, name });
    if (retryAfterSeconds > 0) {
      return { kind: 'throttled', retryAfterSeconds };
    }
    const account = await findEnabled(name); // a disabled user is treated like an unknown one
    const outcome = await checkPassword({ name, password, client, account });
    if (outcome.kind === 'throttled' || outcome.kind === 'busy') {
      return outcome;
    }
    if (outcome.kind === 'wrong' || account === undefined) {
      return REJECTED;
    }
    // A hash may take seconds: meanwhile the user may have been disabled, demoted or deleted, and the
    // password replaced.
    const current = outcome.hasWaited ? await findEnabled(name) : account;
    if (current?.user.id !== account.user.id || current.passwordVersion !== account.passwordVersion) {
      return REJECTED;
    }
    const { user, passwordVersion } = current;
    return { kind: 'authenticated', caller: { signIn: 'password', user, passwordVersion } };
  }

  async function findEnabled(name: NameKey): Promise<Account | undefined> {
    const account = await users.findWithPassword(name);
    return account?.user.isDisabled ? undefined : account;
  }

  /** @param username - The name next to the token, if any. It must be right, because programs show it. */
  async function authenticateToken(text: string, username?: string): Promise<AuthenticationOutcome> {
    const digest = parseToken(text); // text that cannot be a token of this service costs no query
    const found = digest && (await findLiveToken(tokens, digest, clock()));
    if (found === undefined || (username !== undefined && !isNameOf(username, found))) {
      return REJECTED;
    }
    const { user, token } = found;
    return { kind: 'authenticated', caller: { signIn: 'token', user, token: noteUse(token) } };
  }
}

/** OAuth clients may call themselves by the id of their token. */
function isNameOf(name: string, { user, token }: LiveToken): boolean {
  return name === String(token.id) || toNameKey(name) === toNameKey(user.username);
}

/**
 * The largest difference between the clocks of several copies. A token from further in the future was issued
 * before the clock was set back.
 */
const CLOCK_DIFFERENCE_MS_MAX = 300_000;

/**
 * Finds a token with which its owner could sign in now.
 *
 * @returns `undefined` also for a token from the future: a token of a clock decades ahead would be valid for
 *   decades.
 */
export async function findLiveToken(
  tokens: Pick<TokenSource, 'findWithOwner'>, digest: TokenDigest, nowMs: number,
): Promise<LiveToken | undefined> {
  const found = await tokens.findWithOwner(digest, toTimestamp(nowMs));
  const isFromFuture = Date.parse(found?.token.dateCreated ?? '') > nowMs + CLOCK_DIFFERENCE_MS_MAX;
  return isFromFuture ? undefined : found;
}
