/** Checks passwords. An unknown name is checked as slowly as a known name, to hide which names exist. */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../model/clock.ts';
import type { NameKey } from '../model/name.ts';
import type { Account, User } from '../model/user.ts';
import type { QueueOutcome } from '../scheduling/fair-queue.ts';
import type { UserStore } from '../stores/users.ts';
import { toSignIn, type Client } from './client.ts';
import { createExpiringMap } from './expiring-map.ts';
import type { PasswordHasher } from './password.ts';
import type { Throttle } from './throttle.ts';

/** If too many sign-ins failed (`throttled`) or the queue is too long (`busy`), no password is checked. */
export type SignIn<Result> =
  | QueueOutcome<Result>
  | { readonly kind: 'rejected' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number };

export type CheckPassword = (name: NameKey, password: string, client: Client) => Promise<SignIn<Account>>;

export interface PasswordCheckParts {
  readonly users: Pick<UserStore, 'findWithPassword'>;
  readonly passwords: Pick<PasswordHasher, 'verify' | 'dummyHash'>;
  readonly throttle: Throttle;
  readonly clock: Clock;
  readonly verifiedSeconds: number;
  /** Called for a wrong password. The user is `undefined` if the name is unknown or the user is disabled. */
  readonly onSignInFailure?: ((user: User | undefined, address: string) => void) | undefined;
}

const isWrong = (check: QueueOutcome<boolean>) => check.kind === 'done' && !check.result;

export function createPasswordCheck(
  { users, passwords, throttle, clock, verifiedSeconds, onSignInFailure }: PasswordCheckParts,
) {
  const lifetimeMs = verifiedSeconds * 1000;
  /** Digests of right passwords, each computed with a secret that only this process has. */
  const verified = createExpiringMap<string, true>({ lifetimeMs, entriesMax: 1_000 }, clock);
  const secret = randomBytes(32).toString('base64');
  const lookUps = { hits: 0, misses: 0 };
  /** The running and queued checks, by `sharedKey`. `clients` are the clients that wait for the outcome. */
  const checks = new Map<string, { readonly clients: Client[]; outcome?: Promise<QueueOutcome<boolean>> }>();

  const checkPassword: CheckPassword = async (name, password, client) => {
    const { address } = client;
    const limits = throttle(address, name);
    const secondsToWait = limits.secondsToWait();
    // If the limits refuse the attempt, the account is not read. In a cluster, even a read adds an entry to
    // the log of every node.
    const account = secondsToWait > 0 ? undefined : await findEnabled(name);
    // Other attempts may have failed while the account was read, so the limits are checked again. No other
    // code runs between this check and the count in `checkByHash`, so parallel attempts cannot exceed the
    // limits.
    const retryAfterSeconds = secondsToWait || limits.secondsToWait();
    if (retryAfterSeconds > 0) {
      return { kind: 'throttled', retryAfterSeconds };
    }
    const stored = account?.passwordHash || passwords.dummyHash; // an invited user has no hash yet
    // The stored hash is part of the key, so a changed password takes effect immediately. Without JSON, `ab`
    // + `c` and `a` + `bc` would have the same key (CVE-2022-46146).
    const key = hash('sha256', secret + JSON.stringify([stored, password]), 'base64');
    const isVerified = verified.get(key) === true;
    lookUps[isVerified ? 'hits' : 'misses'] += 1;
    if (isVerified && account !== undefined) {
      return { kind: 'done', result: account };
    }
    // If a program sends many parallel requests with the same password, one check serves all these requests.
    const sharedKey = `${name} ${address} ${key}`;
    const check = checks.get(sharedKey) ?? { clients: [] };
    checks.set(sharedKey, check);
    check.clients.push(client);
    check.outcome ??= checkByHash().finally(() => checks.delete(sharedKey));
    const outcome = await check.outcome;
    if (outcome.kind === 'busy') {
      return outcome;
    }
    // During the check, the user may have been disabled, demoted, deleted, or given a new password.
    const current = outcome.result ? await findEnabled(name) : undefined;
    return current?.passwordHash === stored ? { kind: 'done', result: current } : { kind: 'rejected' };

    async function checkByHash(): Promise<QueueOutcome<boolean>> {
      const isWanted = () => check.clients.some((waiting) => waiting.isWanted());
      const queued = toSignIn({ address, isWanted }, name, limits.isRemembered());
      const checked = await limits.attempt(() => passwords.verify(password, stored, queued), isWrong);
      if (isWrong(checked)) {
        onSignInFailure?.(account?.user, address);
      } else if (checked.kind === 'done') {
        limits.remember(); // for a day, the limit of this network does not apply to this name
        verified.set(key, true);
      }
      return checked;
    }
  };

  /** A disabled user is treated like an unknown user. */
  async function findEnabled(name: NameKey): Promise<Account | undefined> {
    const account = await users.findWithPassword(name);
    return account?.user.isDisabled ? undefined : account;
  }

  return { checkPassword, lookUps: lookUps as Readonly<typeof lookUps> };
}
