/**
 * Limits how many changes a user makes in an hour, because one user could fill the audit trail. The budget
 * refills evenly.
 *
 * Revocations and new passwords do not count, so a thief who has spent the budget cannot prevent the user
 * from revoking the stolen token. The queue of hashes limits new passwords.
 */
import type { Clock } from '../model/clock.ts';
import { limitWithToken } from '../model/token.ts';
import type { UserId } from '../model/user.ts';
import { createExpiringMap } from './expiring-map.ts';

/** Counts a change and returns 0, or returns the seconds until the budget allows a change. */
export type SpendChange = (id: UserId, signIn: 'password' | 'token') => number;

const HOUR_MS = 3_600_000;
/** Without this tolerance for sums of fractions, the last change of an hour could be refused. */
const ROUNDING_MS = 1;

/** @param perHourMax - 0 sets no limit. */
export function createChangeBudget(perHourMax: number, clock: Clock): SpendChange {
  /** For each user, the time at which the budget is whole again; 100,000 users take about 10 MB. */
  const wholeAtMs = createExpiringMap<UserId, number>({ lifetimeMs: HOUR_MS, entriesMax: 100_000 }, clock);
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
