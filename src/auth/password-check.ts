/**
 * Checks a password within the limits: first the throttle, then the cache of verified passwords, and last the
 * costly hash. Sign-ins use this check, and so do changes that ask for the password again.
 */
import type { NameKey } from '../model/name.ts';
import type { PasswordHash, User } from '../model/user.ts';
import { toSignIn, type Client } from './client.ts';
import type { PasswordHasher } from './password.ts';
import type { Attempt, Throttle } from './throttle.ts';
import type { CheckKey, VerifiedCache } from './verified-cache.ts';

/** The password was not checked; the client may retry later. */
export type Postponed =
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

/** `hasWaited`: the password was hashed, so what was read of the user before may have changed since. */
type CheckOutcome =
  | { readonly kind: 'right'; readonly hasWaited: boolean }
  | { readonly kind: 'wrong' }
  | Postponed;

interface Check {
  readonly name: NameKey;
  readonly password: string;
  readonly client: Client;
  /** The stored password, or the decoy. */
  readonly stored: PasswordHash;
  /** The user with this name. Absent if no user with this name may sign in; `stored` is then the decoy. */
  readonly user: Pick<User, 'id' | 'username'> | undefined;
}

export type CheckPassword = (check: Check) => Promise<CheckOutcome>;

interface PasswordCheckParts {
  readonly passwords: PasswordHasher;
  readonly throttle: Throttle;
  readonly verified: VerifiedCache;
  /** Called for each wrong password. */
  readonly onFailure: (user: Check['user'], address: string) => void;
}

/** One password check, whose result several clients wait for. */
interface SharedCheck {
  readonly outcome: Promise<CheckOutcome>;
  readonly clients: Client[];
}

const RIGHT_AT_ONCE: CheckOutcome = { kind: 'right', hasWaited: false };
const RIGHT: CheckOutcome = { kind: 'right', hasWaited: true };
const WRONG: CheckOutcome = { kind: 'wrong' };

/**
 * Creates the check. It asks the throttle and reserves a place in one turn of the event loop. So parallel
 * attempts cannot slip through between the two steps.
 */
export function createPasswordCheck(parts: PasswordCheckParts): CheckPassword {
  const { passwords, throttle, verified, onFailure } = parts;
  const running = new Map<CheckKey, SharedCheck>();

  return async (check) => {
    const attempt = toAttempt(check);
    const retryAfterSeconds = throttle.secondsToWait(attempt);
    if (retryAfterSeconds > 0) {
      // The right password is refused, too. Otherwise a client beyond the limit could tell right from wrong.
      return { kind: 'throttled', retryAfterSeconds };
    }
    const key = verified.toKey(check.stored, check.password);
    if (verified.has(key)) {
      return RIGHT_AT_ONCE;
    }
    // A client that starts with many requests at once sends the same password in each: one check serves all.
    const sameKey = `${check.name} ${attempt.address} ${key}` as CheckKey;
    const same = running.get(sameKey);
    if (same !== undefined) {
      same.clients.push(check.client);
      return same.outcome;
    }
    const clients = [check.client];
    const outcome = checkSlowly(check, key, clients).finally(() => running.delete(sameKey));
    running.set(sameKey, { outcome, clients });
    return outcome;
  };

  async function checkSlowly(check: Check, key: CheckKey, clients: readonly Client[]): Promise<CheckOutcome> {
    const attempt = toAttempt(check);
    const release = throttle.reserve(attempt);
    const client = { address: attempt.address, isWanted: () => clients.some(({ isWanted }) => isWanted()) };
    let isWrong = false;
    try {
      const waiting = toSignIn(client, throttle.isRemembered(attempt) ? check.name : undefined);
      const outcome = await passwords.verify(check.password, check.stored, waiting);
      isWrong = outcome.kind === 'done' && !outcome.result;
      if (outcome.kind === 'busy') {
        return outcome;
      }
    } finally {
      if (!isWrong) {
        release();
      }
    }
    if (isWrong) {
      onFailure(check.user, attempt.address);
      return WRONG;
    }
    verified.add(key);
    throttle.remember(attempt);
    return RIGHT;
  }
}

function toAttempt({ name, client: { address }, user }: Check): Attempt {
  return { address, name, userId: user?.id };
}
