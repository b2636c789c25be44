/**
 * Limits how many changes a user makes. Each change adds an event to the audit trail, which may be kept for
 * ever. Quotas do not bound the trail: one project can be renamed again and again.
 *
 * A user may make `perHourMax` changes at once, and regains them evenly within an hour (a token bucket). For
 * each user, this process keeps only the time at which the budget is full again.
 *
 * Revocations and new passwords cost nothing. Otherwise a thief could spend the owner's budget, and the owner
 * could not revoke the stolen token. Issuing a token counts as a change, which also limits revocations. New
 * passwords are limited by the time of their hashes. Tokens of a narrow scope spend nothing.
 */
import type { Clock } from '../model/clock.ts';
import { limitWithToken } from '../model/token.ts';
import type { UserId } from '../model/user.ts';
import { createExpiringMap } from './expiring-map.ts';

/**
 * Takes a change out of the budget of a user. A caller with a token may spend only a part of the budget.
 *
 * @returns 0, or the seconds until the next change is allowed.
 */
export type SpendChange = (id: UserId, signIn: 'password' | 'token') => number;

const HOUR_MS = 3_600_000;
/** The sums of intervals are inexact. Without a tolerance, the last change of an hour could be refused. */
const ROUNDING_MS = 1;
/** The most users, in about 10 MB. The user whose last attempt is the oldest is forgotten first. */
const USERS_MAX = 100_000;

/** @param perHourMax - 0 sets no limit. */
export function createChangeBudget(perHourMax: number, clock: Clock): SpendChange {
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
