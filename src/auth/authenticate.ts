/** Decides who is calling. All failed sign-ins have the same outcome, which does not tell the reason. */
import { toTimestamp, type Clock, type Timestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import { parseToken, type Token, type TokenDigest, type TokenId } from '../model/token.ts';
import type { User, UserId } from '../model/user.ts';
import type { Client } from './client.ts';
import { parseCredentials } from './credentials.ts';
import type { CheckPassword, Postponed } from './password-check.ts';

/** The authenticated user of a request, and how the user signed in. */
export type Caller = {
  readonly user: User;
  /** The only user of whom the caller may know; `undefined` if the caller may know of all. */
  readonly only: UserId | undefined;
} & (
  | { readonly signIn: 'password'; readonly passwordVersion: number }
  | { readonly signIn: 'token'; readonly token: Token }
);

type Outcome =
  | { readonly kind: 'authenticated'; readonly caller: Caller }
  | { readonly kind: 'rejected' }
  | Postponed;

interface TokenWithOwner {
  readonly token: Token;
  readonly user: User;
}

/** The part of `stores/tokens.ts` that authentication needs. */
interface TokenSource {
  /** Finds a token that is valid at `now`, of a user who is not disabled. */
  findWithOwner(digest: TokenDigest, now: Timestamp): Promise<TokenWithOwner | undefined>;
  /** Stores `at` as the last use of a token, unless a use later than `unlessSince` is stored. */
  recordUse(id: TokenId, use: { at: Timestamp; unlessSince: Timestamp }): Promise<void>;
}

interface AuthenticatorParts {
  readonly tokens: TokenSource;
  readonly checkPassword: CheckPassword;
  readonly clock: Clock;
  /** Whether plain users may know of each other. */
  readonly directory: 'open' | 'closed';
  /** Called with the reason when the use of tokens cannot be recorded. */
  readonly onUseUnrecorded: (error: unknown) => void;
}

/** @param authorization - The `Authorization` field as received. */
export type Authenticate = (authorization: string | undefined, client: Client) => Promise<Outcome>;

const REJECTED: Outcome = { kind: 'rejected' };

export function createAuthenticator(parts: AuthenticatorParts): Authenticate {
  const { tokens, checkPassword, clock, directory } = parts;
  const noteUse = createUseNotes(parts);

  return async (authorization, client) => {
    const credentials = parseCredentials(authorization);
    switch (credentials.kind) {
      case 'password':
        return authenticatePassword(credentials.username, credentials.password, client);
      case 'token':
        return authenticateToken(credentials.token, credentials.username);
      case 'malformed':
        return REJECTED;
    }
  };

  async function authenticatePassword(username: string, password: string, client: Client): Promise<Outcome> {
    const outcome = await checkPassword({ name: toNameKey(username), password, client });
    switch (outcome.kind) {
      case 'right': {
        const { user, passwordVersion } = outcome.account;
        const caller = { signIn: 'password', user, only: onlyFor(user), passwordVersion } as const;
        return { kind: 'authenticated', caller };
      }
      case 'wrong':
        return REJECTED;
      case 'throttled':
      case 'busy':
        return outcome;
    }
  }

  /** @param username - The name beside the token. It must be the owner's, because programs show this name. */
  async function authenticateToken(text: string, username?: string): Promise<Outcome> {
    const digest = parseToken(text); // text that cannot be a token of this service costs no query
    const found = digest && (await findLiveToken(tokens, digest, clock()));
    if (found === undefined || (username !== undefined && !isNameOf(username, found))) {
      return REJECTED;
    }
    const { user, token } = found;
    const caller = { signIn: 'token', user, only: onlyFor(user), token: noteUse(token) } as const;
    return { kind: 'authenticated', caller };
  }

  function onlyFor({ id, isAdmin }: User): UserId | undefined {
    return directory === 'closed' && !isAdmin ? id : undefined;
  }
}

/** OAuth clients may call themselves by the id of their token. */
function isNameOf(name: string, { user, token }: TokenWithOwner): boolean {
  return name === String(token.id) || toNameKey(name) === toNameKey(user.username);
}

/** The largest difference between the clocks of several copies. */
const CLOCK_DIFFERENCE_MS_MAX = 300_000;

/**
 * Finds a token with which its owner could sign in now.
 *
 * @returns `undefined` also for a token from the future: a clock that was decades ahead may have issued it,
 *   and the token would be valid for decades.
 */
export async function findLiveToken(
  tokens: Pick<TokenSource, 'findWithOwner'>, digest: TokenDigest, nowMs: number,
): Promise<TokenWithOwner | undefined> {
  const found = await tokens.findWithOwner(digest, toTimestamp(nowMs));
  const isFromFuture = Date.parse(found?.token.dateCreated ?? '') > nowMs + CLOCK_DIFFERENCE_MS_MAX;
  return isFromFuture ? undefined : found;
}

const USE_NOTED_EVERY_MS = 60_000;
/** The most writes under way. A use beyond this limit is not written; a later use of the token is. */
const USE_WRITES_MAX = 100;
/** After a failed write, nothing is written for this long. */
const PAUSE_MS = 10_000;

/**
 * Notes when tokens were last used, at most once a minute for each: otherwise every read would also be a
 * write. No request waits for such a write, and no request fails because of it. So tokens are accepted even
 * when nothing can be written, for example because the disk is full.
 *
 * @returns A function that returns the token with its use.
 */
function createUseNotes({ tokens, onUseUnrecorded, clock }: AuthenticatorParts): (token: Token) => Token {
  let writes = 0;
  let resumesAtMs = 0;
  return (token) => {
    const nowMs = clock();
    const sinceMs = nowMs - USE_NOTED_EVERY_MS;
    if (token.lastUsed !== undefined && Date.parse(token.lastUsed) > sinceMs) {
      return token;
    }
    const lastUsed = toTimestamp(nowMs);
    if (writes < USE_WRITES_MAX && performance.now() >= resumesAtMs) {
      writes += 1;
      const write = tokens.recordUse(token.id, { at: lastUsed, unlessSince: toTimestamp(sinceMs) });
      void write.catch(pause).finally(() => (writes -= 1));
    }
    return { ...token, lastUsed };
  };

  function pause(error: unknown): void {
    if (performance.now() >= resumesAtMs) { // the first failure
      onUseUnrecorded(error);
    }
    resumesAtMs = performance.now() + PAUSE_MS;
  }
}
