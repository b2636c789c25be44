/**
 * Limits how many changes a user makes in an hour, with a budget that refills evenly. Without a limit, one
 * user could fill the audit trail.
 *
 * Revocations and new passwords do not count as changes: a thief who has spent the budget of a user must not
 * prevent the user from revoking the stolen token. Revocations need no limit of their own, because issuing a
 * token counts as a change. A new password needs no limit, because it waits for a hash.
 */
import type { Clock } from '../model/clock.ts';
import { limitWithToken } from '../model/token.ts';
import type { UserId } from '../model/user.ts';
import { createExpiringMap } from './expiring-map.ts';

/** Counts a change and returns 0, or returns the seconds until the budget allows a change. */
export type SpendChange = (id: UserId, signIn: 'password' | 'token') => number;

const HOUR_MS = 3_600_000;
/** The tolerance for inexact sums of times, without which the last change of an hour could be refused. */
const ROUNDING_MS = 1;
/** The most users whose budgets are kept, in about 10 MB of memory. */
const USERS_MAX = 100_000;

/** @param perHourMax - The most changes of a user in an hour; 0 sets no limit. */
export function createChangeBudget(perHourMax: number, clock: Clock): SpendChange {
  /** For each user, the time at which the user's budget is whole again. */
  const wholeAtMs = createExpiringMap<UserId, number>({ lifetimeMs: HOUR_MS, entriesMax: USERS_MAX }, clock);
  const intervalMs = HOUR_MS / perHourMax;
  const budgetMs = { password: HOUR_MS, token: limitWithToken(perHourMax) * intervalMs };

  return (id, signIn) => {
    if (perHourMax === 0) {
      return 0;
    }
    const nowMs = clock();
    const spentMs = Math.min(Math.max((wholeAtMs.get(id) ?? nowMs) - nowMs, 0), HOUR_MS);
    const missingMs = spentMs + intervalMs - budgetMs[signIn];
    const isAllowed = missingMs <= ROUNDING_MS;
    wholeAtMs.set(id, nowMs + spentMs + (isAllowed ? intervalMs : 0));
    return isAllowed ? 0 : Math.ceil(missingMs / 1000);
  };
}
