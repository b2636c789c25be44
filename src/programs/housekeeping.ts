/**
 * Background work, once a minute: records the numbers of failed sign-ins in the audit trail, continues
 * deletions of users that a crash interrupted, and removes tokens and events that are older than their
 * retention time.
 */
import { setImmediate } from 'node:timers/promises';
import type { Services } from '../api/services.ts';
import type { FailureReport } from '../auth/failure-report.ts';
import { toProgramOrigin } from '../model/audit.ts';
import { toTimestamp, type Timestamp } from '../model/clock.ts';
import type { AuditStore } from '../stores/audit.ts';
import type { TokenStore } from '../stores/tokens.ts';
import type { UserChanges } from '../stores/user-changes.ts';

export interface HousekeepingParts extends Pick<Services, 'clock' | 'lifeCycle'> {
  readonly tokens: Pick<TokenStore, 'removeEnded'>;
  readonly userChanges: Pick<UserChanges, 'continueDeletion'>;
  readonly audit: AuditStore;
  readonly failures: FailureReport;
  /** How long an event of the audit trail is kept; 0 means for ever. */
  readonly auditRetentionSeconds: number;
  /** The maintenance of the database driver. */
  readonly maintainDatabase?: () => Promise<void>;
}

const ROUND_EVERY_MS = 60_000;

/**
 * How long the row of a token is kept after the token expired or was revoked: 30 days, long enough to see in
 * the list of tokens which program had one.
 */
const TOKEN_RETENTION_MS = 2_592_000_000;

/** The most rows removed in one batch, which delays requests by about a millisecond. */
const ROWS_REMOVED_AT_ONCE = 100;

/**
 * Runs a round once a minute, unless the previous one is still running.
 *
 * @param onError - Called with the error that ended a round early. The next round starts from the beginning.
 * @returns A function that stops the housekeeping after a last round.
 */
export function startHousekeeping(
  parts: HousekeepingParts, onError: (error: unknown) => void,
): () => Promise<void> {
  let round: Promise<void> | undefined;
  const keep = () => (round ??= runHousekeeping(parts).catch(onError).finally(() => (round = undefined)));
  const timer = setInterval(keep, ROUND_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await round;
    await keep();
  };
}

/** Runs one round. */
export async function runHousekeeping(parts: HousekeepingParts): Promise<void> {
  const { tokens, userChanges, audit, auditRetentionSeconds, clock, lifeCycle } = parts;
  const origin = toProgramOrigin(clock);

  /** Repeats until nothing is left, or the process is asked to end: the next start continues. */
  async function repeat(doSome: () => Promise<boolean>): Promise<void> {
    while (!lifeCycle.isEnding && (await doSome())) {
      await setImmediate(); // lets waiting requests run between two batches
    }
  }

  await recordFailures(parts);
  await parts.maintainDatabase?.();
  await repeat(() => userChanges.continueDeletion(origin));
  const tokensBefore = toTimestamp(clock() - TOKEN_RETENTION_MS);
  await repeat(async () => {
    return (await tokens.removeEnded(tokensBefore, ROWS_REMOVED_AT_ONCE)) === ROWS_REMOVED_AT_ONCE;
  });
  if (auditRetentionSeconds > 0) {
    const before = toAuditCutoff(clock(), auditRetentionSeconds);
    await repeat(async () => {
      return (await audit.removeBefore(before, ROWS_REMOVED_AT_ONCE, origin)) === ROWS_REMOVED_AT_ONCE;
    });
  }
}

/** Records failed sign-ins. If that fails, the next round records them, together with newer ones. */
async function recordFailures({ audit, failures, clock }: HousekeepingParts): Promise<void> {
  const taken = failures.take();
  try {
    await (taken.length > 0 && audit.insertFailures(taken, toTimestamp(clock())));
  } catch (error) {
    failures.restore(taken);
    throw error;
  }
}

/**
 * Each removal is itself recorded as an event. The cutoff moves in steps of a hundredth of the retention
 * time. So a quiet trail holds at most a hundred of these events, not one for each minute.
 */
function toAuditCutoff(nowMs: number, retentionSeconds: number): Timestamp {
  const stepMs = retentionSeconds * 10;
  return toTimestamp(Math.floor((nowMs - retentionSeconds * 1000) / stepMs) * stepMs);
}
