/**
 * Checks a password within the limits: first the throttle, then the cache of verified passwords, and last the
 * costly hash. Sign-ins use this check, and so do changes that ask for the password again.
 */
import type { NameKey } from '../model/name.ts';
import type { Account, PasswordHash, User } from '../model/user.ts';
import { toSignIn, type Client } from './client.ts';
import type { PasswordHasher } from './password.ts';
import type { Throttle } from './throttle.ts';
import type { VerifiedCache } from './verified-cache.ts';

/** The password was not checked; the client may retry later. */
export type Postponed =
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

/** `hasWaited`: the password was hashed, so what was read of the user before may have changed since. */
type Outcome =
  | { readonly kind: 'right'; readonly hasWaited: boolean }
  | { readonly kind: 'wrong' }
  | Postponed;

interface Check {
  readonly name: NameKey;
  readonly password: string;
  readonly client: Client;
  /** Absent if no user with this name may sign in. No password is right then, and the work is the same. */
  readonly account: Account | undefined;
}

export type CheckPassword = (check: Check) => Promise<Outcome>;

interface PasswordCheckParts {
  readonly passwords: Pick<PasswordHasher, 'verify' | 'dummyHash'>;
  readonly throttle: Throttle;
  readonly verified: VerifiedCache;
  /** Called for each wrong password. */
  readonly onFailure: (user: User | undefined, address: string) => void;
}

export function createPasswordCheck(parts: PasswordCheckParts): CheckPassword {
  const { passwords, throttle, verified, onFailure } = parts;
  /** The hashes under way, each with all clients that wait for its result. */
  const running = new Map<string, { readonly clients: Client[]; readonly outcome: Promise<Outcome> }>();

  // Asks the throttle and reserves a place in one turn of the event loop. So parallel attempts cannot slip
  // through between the two steps.
  return async (check) => {
    const { name, password, client, account } = check;
    const retryAfterSeconds = throttle(client.address, name).secondsToWait();
    if (retryAfterSeconds > 0) {
      // The right password is refused, too. Otherwise a client beyond the limit could tell right from wrong.
      return { kind: 'throttled', retryAfterSeconds };
    }
    const stored = account?.passwordHash || passwords.dummyHash; // an invited user takes the same time
    const key = verified.toKey(stored, password);
    if (verified.has(key)) {
      return { kind: 'right', hasWaited: false };
    }
    // A client that starts with many requests at once sends the same password in each: one hash serves all.
    const sharedKey = `${name} ${client.address} ${key}`;
    const shared = running.get(sharedKey);
    if (shared !== undefined) {
      shared.clients.push(client);
      return shared.outcome;
    }
    const clients = [client];
    const outcome = compare(check, stored, clients).finally(() => running.delete(sharedKey));
    running.set(sharedKey, { clients, outcome });
    return outcome;
  };

  async function compare(check: Check, stored: PasswordHash, clients: readonly Client[]): Promise<Outcome> {
    const { name, password, client: { address }, account } = check;
    const limits = throttle(address, name);
    const release = limits.reserve();
    const isWanted = () => clients.some((client) => client.isWanted());
    const client = toSignIn({ address, isWanted }, name, limits.isRemembered());
    const outcome = await passwords.verify(password, stored, client).catch((error: unknown) => {
      release(); // an outage is no wrong password
      throw error;
    });
    if (outcome.kind === 'done' && !outcome.result) {
      onFailure(account?.user, address);
      return { kind: 'wrong' };
    }
    release();
    if (outcome.kind === 'busy') {
      return outcome;
    }
    limits.remember();
    verified.add(verified.toKey(stored, password));
    return { kind: 'right', hasWaited: true };
  }
}
