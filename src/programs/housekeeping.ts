/**
 * Background work, once a minute: removes the rows of tokens that ended long ago, and writes the numbers of
 * failed sign-ins into the audit trail.
 */
import { setImmediate } from 'node:timers/promises';
import type { FailureCount } from '../auth/failure-count.ts';
import { toTimestamp, type Clock } from '../model/clock.ts';
import type { AuditStore } from '../stores/audit.ts';
import type { TokenStore } from '../stores/tokens.ts';

interface HousekeepingParts {
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly failures: FailureCount;
  /** How long the row of a token is kept after the token expired or was revoked. */
  readonly tokenRetentionSeconds: number;
  readonly clock: Clock;
}

const ROUND_EVERY_MS = 60_000;

/** A batch holds requests up for as long as one of them takes: about a millisecond. */
const TOKENS_REMOVED_AT_ONCE = 100;

/** One round. @returns How many rows of tokens it removed. */
export async function keepHouse({ tokens, audit, failures, tokenRetentionSeconds, clock }: HousekeepingParts): Promise<number> {
  await recordFailures({ audit, failures, clock });
  const before = toTimestamp(clock() - tokenRetentionSeconds * 1000);
  let removed = 0;
  let batch = TOKENS_REMOVED_AT_ONCE;
  while (batch === TOKENS_REMOVED_AT_ONCE) {
    batch = await tokens.removeEnded(before, TOKENS_REMOVED_AT_ONCE);
    removed += batch;
    await setImmediate(); // requests that have arrived in the meantime come first
  }
  return removed;
}

/** What cannot be written now is written in the next round, with what has come until then. */
async function recordFailures({ audit, failures, clock }: Pick<HousekeepingParts, 'audit' | 'failures' | 'clock'>): Promise<void> {
  const taken = failures.take();
  try {
    await (taken.length > 0 && audit.insertFailures(taken, toTimestamp(clock())));
  } catch (error) {
    failures.restore(taken);
    throw error;
  }
}

/**
 * Keeps house once a minute, unless the round before is still going on.
 *
 * @param onError - Told what ended a round early; the next one starts anew.
 * @returns How to end it: with a last round.
 */
export function startHousekeeping(parts: HousekeepingParts, onError: (error: unknown) => void): () => Promise<void> {
  let round: Promise<unknown> | undefined;
  const keep = () => (round ??= keepHouse(parts).catch(onError).finally(() => (round = undefined)));
  const timer = setInterval(keep, ROUND_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await round;
    await keep();
  };
}
