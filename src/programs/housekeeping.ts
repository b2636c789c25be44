/**
 * Background work, once a minute: records the numbers of failed sign-ins in the audit trail, removes tokens
 * and events that are older than their retention time, and frees disk space.
 */
import { setImmediate } from 'node:timers/promises';
import type { FailureReport } from '../auth/failure-report.ts';
import type { Database } from '../database/database.ts';
import { toTimestamp, type Clock, type Timestamp } from '../model/clock.ts';
import type { AuditStore } from '../stores/audit.ts';
import type { TokenStore } from '../stores/tokens.ts';
import { toProgramOrigin } from '../model/audit.ts';

/** 30 days: long enough to see in the list of tokens which program had one. */
export const TOKEN_RETENTION_SECONDS = 2_592_000;

interface HousekeepingParts {
  readonly database: Pick<Database, 'trimLog'>;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly failures: FailureReport;
  /** How long the row of a token is kept after the token expired or was revoked. */
  readonly tokenRetentionSeconds: number;
  /** How long an event of the audit trail is kept; 0 means for ever. */
  readonly auditRetentionSeconds: number;
  readonly clock: Clock;
  /** The maintenance of the database driver, called once a minute. */
  readonly maintainDatabase?: (() => Promise<void>) | undefined;
}

const ROUND_EVERY_MS = 60_000;

/** The most rows removed in one batch, which delays requests by about a millisecond. */
const ROWS_REMOVED_AT_ONCE = 100;

/** Runs one round of maintenance. @returns The number of tokens that it removed. */
export async function runMaintenance(parts: HousekeepingParts): Promise<number> {
  const { database, tokens, audit, tokenRetentionSeconds, auditRetentionSeconds, clock, maintainDatabase } =
    parts;
  await recordFailures(parts);
  await maintainDatabase?.();
  const tokensBefore = toTimestamp(clock() - tokenRetentionSeconds * 1000);
  const removed = await removeInSlices((countMax) => tokens.removeEnded(tokensBefore, countMax));
  if (auditRetentionSeconds > 0) {
    const eventsBefore = toAuditCutoff(clock(), auditRetentionSeconds);
    await removeInSlices((countMax) => audit.removeBefore(eventsBefore, countMax, toProgramOrigin(clock)));
  }
  await database.trimLog();
  return removed;
}

/**
 * @param removeSome - Removes at most `countMax` rows and returns their number. If the number is smaller than
 *   `countMax`, no rows are left.
 */
async function removeInSlices(removeSome: (countMax: number) => Promise<number>): Promise<number> {
  let removed = 0;
  let slice = ROWS_REMOVED_AT_ONCE;
  while (slice === ROWS_REMOVED_AT_ONCE) {
    slice = await removeSome(ROWS_REMOVED_AT_ONCE);
    removed += slice;
    await setImmediate(); // lets waiting requests run between two batches
  }
  return removed;
}

/**
 * Each removal is itself recorded as an event. The cutoff moves in steps of a hundredth of the retention
 * time. So a quiet trail holds at most a hundred of these events, not one for each minute.
 */
function toAuditCutoff(nowMs: number, retentionSeconds: number): Timestamp {
  const stepMs = retentionSeconds * 10;
  return toTimestamp(Math.floor((nowMs - retentionSeconds * 1000) / stepMs) * stepMs);
}

/** Records failed sign-ins. If that fails, the next round records them, together with newer ones. */
async function recordFailures(
  { audit, failures, clock }: Pick<HousekeepingParts, 'audit' | 'failures' | 'clock'>,
): Promise<void> {
  const taken = failures.take();
  try {
    await (taken.length > 0 && audit.insertFailures(taken, toTimestamp(clock())));
  } catch (error) {
    failures.restore(taken);
    throw error;
  }
}

/**
 * Runs the maintenance once a minute, unless the previous round is still running.
 *
 * @param onError - Called with the error that ended a round early. The next round starts from the beginning.
 * @returns A function that stops the maintenance after a last round.
 */
export function startHousekeeping(
  parts: HousekeepingParts,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let round: Promise<unknown> | undefined;
  const keep = () => (round ??= runMaintenance(parts).catch(onError).finally(() => (round = undefined)));
  const timer = setInterval(keep, ROUND_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await round;
    await keep();
  };
}
