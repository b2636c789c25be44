/**
 * Background work, once a minute: records failed sign-ins in the audit trail, checks the nodes of a cluster,
 * and removes old tokens and events. After a crash, housekeeping continues interrupted deletions of users.
 */
import { setImmediate } from 'node:timers/promises';
import type { Services } from '../api/services.ts';
import type { Database } from '../database/database.ts';
import { toProgramOrigin, type Origin } from '../model/audit.ts';
import { toTimestamp } from '../model/clock.ts';
import { describeError } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';

export interface HousekeepingParts extends Pick<Services, 'clock' | 'lifeCycle' | 'tokens' | 'userChanges'> {
  readonly database: Pick<Database, 'findNodeFaults'>;
  readonly log: Log;
  /** The tasks of the extra `audit`; absent without this extra. */
  readonly recordFailures?: (origin: Origin) => Promise<void>;
  readonly removeOldEvents?: (countMax: number, origin: Origin) => Promise<boolean>;
}

/** Housekeeping removes the row of a token 30 days after the token expires. */
const TOKEN_RETENTION_MS = 2_592_000_000;

/** Removing `ROWS_AT_ONCE` rows delays other requests by about a millisecond. */
const ROWS_AT_ONCE = 100;

/** @returns A function that runs a last round and then ends the housekeeping. */
export function startHousekeeping(parts: HousekeepingParts): () => Promise<void> {
  let round: Promise<void> | undefined;
  const keep = () => (round ??= runHousekeeping(parts) // during an outage, this call can take minutes
    .catch((error: unknown) => parts.log('error', 'housekeeping failed', { error: describeError(error) }))
    .finally(() => (round = undefined)));
  const timer = setInterval(keep, 60_000).unref();
  return async () => {
    clearInterval(timer);
    await round;
    await keep();
  };
}

/** If an error ends a round early, the next round starts from the beginning. */
export async function runHousekeeping(parts: HousekeepingParts): Promise<void> {
  const { tokens, userChanges, log, clock, lifeCycle } = parts;
  const origin = toProgramOrigin(clock);
  await parts.recordFailures?.(origin);
  const faults = await parts.database.findNodeFaults?.('quick');
  faults?.forEach((fault) => log('warn', 'database node at fault', { fault }));
  const tokensBefore = toTimestamp(clock() - TOKEN_RETENTION_MS);
  /** Each function runs one batch of a task. The result is true if another batch may be needed. */
  const backlogs: readonly (() => Promise<boolean | undefined>)[] = [
    () => userChanges.continueDeletion(origin),
    async () => (await tokens.removeExpired(tokensBefore, ROWS_AT_ONCE)) === ROWS_AT_ONCE,
    async () => parts.removeOldEvents?.(ROWS_AT_ONCE, origin),
  ];
  for (const doSome of backlogs) {
    while (lifeCycle.stage !== 'draining' && (await doSome())) { // the next start continues the work
      await setImmediate(); // lets waiting requests run between two batches
    }
  }
}
