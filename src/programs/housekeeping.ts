/**
 * Background work, once a minute: records the numbers of failed sign-ins in the audit trail, continues
 * deletions of users that a crash interrupted, and removes tokens and events that are older than their
 * retention time.
 */
import { setImmediate } from 'node:timers/promises';
import type { LifeCycle, Services } from '../api/services.ts';
import type { FailureReport } from '../auth/failure-report.ts';
import { toProgramOrigin } from '../model/audit.ts';
import { toTimestamp, type Timestamp } from '../model/clock.ts';
import type { AuditStore } from '../stores/audit.ts';
import type { TokenStore } from '../stores/tokens.ts';
import type { UserDeletion } from '../stores/user-deletion.ts';

export interface HousekeepingParts extends Pick<Services, 'clock' | 'lifeCycle'> {
  readonly tokens: Pick<TokenStore, 'removeEnded'>;
  readonly userDeletion: Pick<UserDeletion, 'continueDeletion'>;
  readonly audit: AuditStore;
  readonly failures: FailureReport;
  /** How long an event of the audit trail is kept; 0 means for ever. */
  readonly auditRetentionSeconds: number;
  /** The maintenance of the database driver. */
  readonly maintainDatabase?: (() => Promise<void>) | undefined;
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
  const { tokens, audit, auditRetentionSeconds, clock, lifeCycle, maintainDatabase } = parts;
  const origin = toProgramOrigin(clock);
  await recordFailures(parts);
  await maintainDatabase?.();
  while (!lifeCycle.isEnding && (await parts.userDeletion.continueDeletion(origin))) {
    await setImmediate(); // lets waiting requests run between two batches
  }
  const tokensBefore = toTimestamp(clock() - TOKEN_RETENTION_MS);
  await removeInBatches(lifeCycle, (countMax) => tokens.removeEnded(tokensBefore, countMax));
  if (auditRetentionSeconds > 0) {
    const eventsBefore = toAuditCutoff(clock(), auditRetentionSeconds);
    await removeInBatches(lifeCycle, (countMax) => audit.removeBefore(eventsBefore, countMax, origin));
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
 * Removes rows until none is left, or until the process is asked to end: a backlog of a day takes seconds,
 * and the next start continues.
 *
 * @param removeSome - Removes at most `countMax` rows, and returns their number.
 */
async function removeInBatches(
  lifeCycle: Readonly<LifeCycle>, removeSome: (countMax: number) => Promise<number>,
): Promise<void> {
  let removed = ROWS_REMOVED_AT_ONCE;
  while (removed === ROWS_REMOVED_AT_ONCE && !lifeCycle.isEnding) {
    removed = await removeSome(ROWS_REMOVED_AT_ONCE);
    await setImmediate(); // lets waiting requests run between two batches
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
