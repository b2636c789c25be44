/**
 * Limits how many changes a user makes in an hour, so that no single user can fill the audit trail. The
 * budget refills evenly.
 *
 * Revocations and new passwords do not count, so that a user can stop a thief who has spent the user's
 * budget. The queue `passwords` (core.ts) limits how often passwords change.
 */
import type { Clock } from '../model/clock.ts';
import { limitWithToken } from '../model/token.ts';
import type { UserId } from '../model/user.ts';
import { createExpiringMap } from './expiring-map.ts';

/** If the budget allows a change, counts the change and returns 0; else returns the seconds to wait. */
export type SpendChange = (id: UserId, signIn: 'password' | 'token') => number;

const HOUR_MS = 3_600_000;

/** @param perHourMax - The maximum number of changes by a user in an hour; 0 means no limit. */
export function createChangeBudget(perHourMax: number, clock: Clock): SpendChange {
  /** The time when the whole budget of a user is available again. The full map takes about 10 MB. */
  const wholeAtMs = createExpiringMap<UserId, number>({ lifetimeMs: HOUR_MS, entriesMax: 100_000 }, clock);
  const intervalMs = HOUR_MS / perHourMax;
  const budgetMs = { password: HOUR_MS, token: limitWithToken(perHourMax) * intervalMs };

  return (id, signIn) => {
    if (perHourMax === 0) {
      return 0;
    }
    const nowMs = clock();
    const spentMs = Math.min(Math.max((wholeAtMs.get(id) ?? nowMs) - nowMs, 0), HOUR_MS);
    // Without `floor`, a tiny rounding error could refuse the last allowed change of an hour.
    const missingMs = Math.floor(spentMs + intervalMs - budgetMs[signIn]);
    const isAllowed = missingMs <= 0;
    // After the clock was set back, the stored time is too far ahead. So even a refusal stores a new time.
    wholeAtMs.set(id, nowMs + spentMs + (isAllowed ? intervalMs : 0));
    return isAllowed ? 0 : Math.ceil(missingMs / 1000);
  };
}
