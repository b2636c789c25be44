/**
 * Decides who is calling. Whether the user is unknown, the password wrong, or the token unknown, expired or revoked, the
 * outcome is the same and the same work is done, so that nobody learns which names exist.
 */
import { toTimestamp, type Clock, type Timestamp } from '../model/clock.ts';
import { toNameKey, type NameKey } from '../model/name.ts';
import type { TokenDigest } from '../model/token.ts';
import type { PasswordHash, User, UserId } from '../model/user.ts';
import { parseCredentials } from './credentials.ts';
import type { PasswordHasher } from './password.ts';
import type { Throttle } from './throttle.ts';
import { parseToken } from './token.ts';
import type { CheckKey, VerifiedCache } from './verified-cache.ts';

/** The authenticated user of a request, and how they signed in. */
export type Caller =
  | { readonly signIn: 'password'; readonly user: User }
  | { readonly signIn: 'token'; readonly user: User; readonly token: TokenDigest };

type AuthenticationOutcome =
  | { readonly kind: 'authenticated'; readonly caller: Caller }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'busy' };

/** What must be known of users to recognise them. */
export interface AccountSource {
  findUserWithPassword(username: NameKey): Promise<{ user: User; passwordHash: PasswordHash } | undefined>;
  findTokenOwner(digest: TokenDigest, now: Timestamp): Promise<User | undefined>;
  renewPasswordHash(id: UserId, change: { from: PasswordHash; to: PasswordHash }): Promise<void>;
}

interface AuthenticatorParts {
  readonly accounts: AccountSource;
  readonly passwords: PasswordHasher;
  readonly throttle: Throttle;
  readonly verified: VerifiedCache;
  readonly clock: Clock;
}

/** @param request - The `Authorization` field as it came, and the address of the client. */
export type Authenticate = (request: {
  readonly authorization: string | undefined;
  readonly address: string;
}) => Promise<AuthenticationOutcome>;

const REJECTED: AuthenticationOutcome = { kind: 'rejected' };

export function createAuthenticator(parts: AuthenticatorParts): Authenticate {
  const checkPassword = createPasswordCheck(parts);

  return async ({ authorization, address }) => {
    const credentials = parseCredentials(authorization);
    switch (credentials.kind) {
      case 'none':
      case 'malformed':
        return REJECTED;
      case 'token':
        return authenticateToken(credentials.token, parts);
      case 'password':
        return authenticatePassword({ ...credentials, address });
    }
  };

  async function authenticatePassword(attempt: { username: string; password: string; address: string }) {
    const name = toNameKey(attempt.username);
    const account = await parts.accounts.findUserWithPassword(name);
    const stored = account?.passwordHash ?? parts.passwords.decoy;
    const outcome = await checkPassword({ ...attempt, name, stored, userId: account?.user.id });
    if (outcome !== 'right' || account === undefined) {
      return outcome === 'right' || outcome === 'wrong' ? REJECTED : outcome;
    }
    return { kind: 'authenticated', caller: { signIn: 'password', user: account.user } } as const;
  }
}

async function authenticateToken(text: string, { accounts, clock }: AuthenticatorParts): Promise<AuthenticationOutcome> {
  const token = parseToken(text);
  if (token === undefined) {
    return REJECTED;
  }
  const user = await accounts.findTokenOwner(token, toTimestamp(clock()));
  return user === undefined ? REJECTED : { kind: 'authenticated', caller: { signIn: 'token', user, token } };
}

type CheckOutcome = 'right' | 'wrong' | Extract<AuthenticationOutcome, { kind: 'throttled' | 'busy' }>;

interface Check {
  readonly name: NameKey;
  readonly password: string;
  readonly address: string;
  readonly stored: PasswordHash;
  /** Absent when nobody has the name; `stored` is the decoy then. */
  readonly userId: UserId | undefined;
}

/**
 * Checks passwords within the limits. Everything from the look at the throttle to the place that is taken happens in one
 * turn of the event loop, so parallel attempts cannot slip through between the two.
 */
function createPasswordCheck({ accounts, passwords, throttle, verified }: AuthenticatorParts): (check: Check) => Promise<CheckOutcome> {
  const running = new Map<CheckKey, Promise<CheckOutcome>>();

  return async (check) => {
    const retryAfterSeconds = throttle.secondsToWait(check);
    if (retryAfterSeconds > 0) {
      return { kind: 'throttled', retryAfterSeconds }; // for the right password too, or the refusal would confirm it
    }
    const key = verified.toKey(check.stored, check.password);
    if (verified.has(key)) {
      return 'right';
    }
    // A client that starts with many requests at once asks the same question many times: it is answered once.
    const sameKey = `${check.name} ${check.address} ${key}` as CheckKey;
    const outcome = running.get(sameKey) ?? checkSlowly(check, key).finally(() => running.delete(sameKey));
    running.set(sameKey, outcome);
    return outcome;
  };

  async function checkSlowly(check: Check, key: CheckKey): Promise<CheckOutcome> {
    const giveBack = throttle.take(check);
    let isWrong = false;
    try {
      const outcome = await passwords.verify(check.password, check.stored);
      isWrong = outcome.kind === 'done' && !outcome.result;
      if (outcome.kind === 'busy' || isWrong) {
        return outcome.kind === 'busy' ? outcome : 'wrong';
      }
    } finally {
      if (!isWrong) {
        giveBack();
      }
    }
    verified.add(key);
    await renewIfOutdated(check);
    return 'right';
  }

  /** The only moment at which the password is known, and so the only one at which its hash can be made again. */
  async function renewIfOutdated({ password, stored, userId }: Check): Promise<void> {
    if (userId === undefined || !passwords.isOutdated(stored)) {
      return;
    }
    try {
      const renewed = await passwords.hash(password);
      if (renewed.kind === 'done') {
        await accounts.renewPasswordHash(userId, { from: stored, to: renewed.result });
      }
    } catch {
      // The old hash remains, and the next sign-in tries again; the password was right all the same.
    }
  }
}
