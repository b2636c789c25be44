/**
 * Limits how many changes a user makes. Each change adds an event to the audit trail, which may be kept for
 * ever, and no quota on the data of a user bounds that: one project can be renamed again and again.
 *
 * A user may make `perHourMax` changes at once, and regains them evenly within an hour (a token bucket,
 * written as the generic cell rate algorithm). For each user the budget holds one instant: when all changes
 * are regained. The instants live in this process.
 *
 * Revocations and new passwords cost nothing: with a stolen token, a thief could otherwise spend the budget
 * of the owner and so keep the token. There are no more revocations than tokens, whose issue counts, and no
 * more new passwords than the service can hash. Tokens of a narrow scope spend nothing.
 */
import type { Clock } from '../model/clock.ts';
import { limitWithToken } from '../model/token.ts';
import type { UserId } from '../model/user.ts';
import { forgetOldestBeyond, isRunning } from './expiring-set.ts';

export interface ChangeBudget {
  /**
   * Takes a change out of a budget, of which a caller with a token may spend only a part.
   *
   * @returns 0, or the seconds until the next change is allowed.
   */
  spend(id: UserId, signIn: 'password' | 'token'): number;
}

const HOUR_MS = 3_600_000;
/** Sums of intervals are rounded. Without this tolerance, the last change of an hour could be refused. */
const ROUNDING_MS = 1;
/**
 * Time servers set clocks back by less than this, which gives nobody a new budget. If this and an hour
 * remain, the clock was far ahead and is corrected. The budget is then whole, so that its user need not wait.
 */
const CORRECTION_MS_MAX = 60_000;

/** The most users, in about 10 MB. The user who tried no change for the longest time is forgotten first. */
const USERS_MAX = 100_000;

/** @param perHourMax - 0 sets no limit. */
export function createChangeBudget(perHourMax: number, clock: Clock): ChangeBudget {
  const wholeAtMsByUser = new Map<UserId, number>();
  const intervalMs = HOUR_MS / perHourMax;
  const budgetMs = { password: HOUR_MS, token: limitWithToken(perHourMax) * intervalMs };

  return {
    spend(id, signIn) {
      if (perHourMax === 0) {
        return 0;
      }
      const nowMs = clock();
      const remainingMs = (wholeAtMsByUser.get(id) ?? 0) - nowMs;
      const isWhole = !isRunning(remainingMs, HOUR_MS + CORRECTION_MS_MAX);
      const spentMs = isWhole ? 0 : Math.min(remainingMs, HOUR_MS);
      const missingMs = spentMs + intervalMs - budgetMs[signIn];
      const isAllowed = missingMs <= ROUNDING_MS;
      wholeAtMsByUser.delete(id); // so that the map stays in the order of the last attempts
      wholeAtMsByUser.set(id, nowMs + spentMs + (isAllowed ? intervalMs : 0));
      forgetOldestBeyond(wholeAtMsByUser, USERS_MAX);
      return isAllowed ? 0 : Math.ceil(missingMs / 1000);
    },
  };
}
