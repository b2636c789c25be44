/**
 * Decides who is calling. An unknown user takes the same work and has the same outcome as a wrong password,
 * so nobody learns which names exist. Unknown, expired and revoked tokens have that outcome, too.
 */
import { toTimestamp, type Clock, type Timestamp } from '../model/clock.ts';
import { toNameKey, type NameKey } from '../model/name.ts';
import type { Token, TokenDigest } from '../model/token.ts';
import type { Account, User } from '../model/user.ts';
import type { Client } from './client.ts';
import type { CheckPassword, Postponed } from './password-check.ts';
import type { PasswordHasher } from './password.ts';
import { parseCredentials } from './credentials.ts';
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

/** The part of `stores/tokens.ts` that authentication needs. */
export interface TokenSource {
  /** Finds a token that is valid at `now`, of a user who is not disabled. */
  findWithOwner(digest: TokenDigest, now: Timestamp): Promise<{ token: Token; user: User } | undefined>;
  readonly recordUse: RecordTokenUse;
}

interface AuthenticatorParts {
  /** The part of `stores/users.ts` that authentication needs. */
  readonly users: { findWithPassword(username: NameKey): Promise<Account | undefined> };
  readonly tokens: TokenSource;
  /** Called with the reason when the use of tokens cannot be recorded. */
  readonly onUseUnrecorded: (error: unknown) => void;
  readonly passwords: PasswordHasher;
  readonly checkPassword: CheckPassword;
  readonly throttle: Pick<Throttle, 'secondsToWait'>;
  readonly clock: Clock;
}

/** @param authorization - The `Authorization` field as received. */
export type Authenticate =
  (authorization: string | undefined, client: Client) => Promise<AuthenticationOutcome>;

const REJECTED: AuthenticationOutcome = { kind: 'rejected' };

/** The use of a token is recorded at most this often. Otherwise every read would also be a write. */
const USE_NOTED_EVERY_MS = 60_000;

/**
 * The largest difference between the clocks of several copies. A token from further in the future was issued
 * before the clock was set back.
 */
const CLOCK_DIFFERENCE_MS_MAX = 300_000;

export function createAuthenticator(parts: AuthenticatorParts): Authenticate {
  const recordUse = createTokenUseNotes(parts.tokens.recordUse, parts.onUseUnrecorded);
  return async (authorization, client) => {
    const credentials = parseCredentials(authorization);
    if (credentials.kind === 'password') {
      return authenticatePassword(credentials, client);
    }
    if (credentials.kind === 'malformed') {
      return REJECTED;
    }
    const digest = parseToken(credentials.token);
    // Text that cannot be a token of this service costs no query.
    return digest === undefined ? REJECTED : authenticateToken(digest, credentials.username);
  };

  async function authenticatePassword(
    { username, password }: { readonly username: string; readonly password: string },
    client: Client,
  ) {
    const name = toNameKey(username);
    // Comes before the look-up, which on a cluster costs an entry in the log of every node.
    const retryAfterSeconds = parts.throttle.secondsToWait({ address: client.address, name });
    if (retryAfterSeconds > 0) {
      return { kind: 'throttled', retryAfterSeconds } as const;
    }
    const found = await parts.users.findWithPassword(name);
    // A disabled user is treated like an unknown one.
    const account = found?.user.isDisabled === false ? found : undefined;
    const stored = account?.passwordHash || parts.passwords.decoy; // an invited user takes the same time
    const outcome = await parts.checkPassword({ name, password, client, stored, user: account?.user });
    if (outcome.kind !== 'right' || account === undefined) {
      return outcome.kind === 'right' || outcome.kind === 'wrong' ? REJECTED : outcome;
    }
    const current = outcome.hasWaited ? await findUnchanged(account, name) : account;
    if (current === undefined) {
      return REJECTED;
    }
    const { user, passwordVersion } = current;
    return { kind: 'authenticated', caller: { signIn: 'password', user, passwordVersion } } as const;
  }

  /**
   * Reads an account again after a password check, which may take seconds: meanwhile the user may have been
   * disabled, demoted or deleted, and the password replaced.
   */
  async function findUnchanged(before: Account, name: NameKey): Promise<Account | undefined> {
    const now = await parts.users.findWithPassword(name);
    const isSame = now?.user.id === before.user.id && now.passwordVersion === before.passwordVersion;
    return isSame && !now.user.isDisabled ? now : undefined;
  }

  /** @param username - The name next to the token, if any. It must be right, because programs show it. */
  async function authenticateToken(
    digest: TokenDigest, username: string | undefined,
  ): Promise<AuthenticationOutcome> {
    const nowMs = parts.clock();
    const found = await findLiveToken(parts.tokens, digest, nowMs);
    if (found === undefined) {
      return REJECTED;
    }
    if (username !== undefined && !isNameOf(username, found)) {
      return REJECTED;
    }
    const token = await noteUse(found.token, nowMs);
    return { kind: 'authenticated', caller: { signIn: 'token', user: found.user, token } };
  }

  async function noteUse(token: Token, nowMs: number): Promise<Token> {
    const sinceMs = nowMs - USE_NOTED_EVERY_MS;
    if (token.lastUsed !== undefined && Date.parse(token.lastUsed) > sinceMs) {
      return token;
    }
    const at = toTimestamp(nowMs);
    await recordUse(token.id, { at, unlessSince: toTimestamp(sinceMs) });
    return { ...token, lastUsed: at };
  }
}

/** OAuth clients may call themselves by the id of their token. */
function isNameOf(name: string, { user, token }: { readonly user: User; readonly token: Token }): boolean {
  return name === String(token.id) || toNameKey(name) === toNameKey(user.username);
}

/**
 * Finds a token with which its owner could sign in now.
 *
 * @returns `undefined` also for a token from the future: a token of a clock decades ahead would be valid for
 *   decades.
 */
export async function findLiveToken(
  tokens: Pick<TokenSource, 'findWithOwner'>, digest: TokenDigest, nowMs: number,
): Promise<{ readonly token: Token; readonly user: User } | undefined> {
  const found = await tokens.findWithOwner(digest, toTimestamp(nowMs));
  const isFromFuture = Date.parse(found?.token.dateCreated ?? '') > nowMs + CLOCK_DIFFERENCE_MS_MAX;
  return isFromFuture ? undefined : found;
}
