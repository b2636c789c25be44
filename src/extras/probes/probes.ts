/**
 * `/livez` and `/readyz`, for orchestrators and load balancers. Orchestrators restart a service if `/livez`
 * fails. A restart does not repair a database, so only `/readyz` queries the database.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { operation } from '../../api/operation.ts';
import { refuse } from '../../api/problems.ts';
import { words } from '../../api/replies.ts';
import type { Database } from '../../database/database.ts';
import type { DatabaseLocation } from '../../database/location.ts';
import { readSchemaVersion, SCHEMA_VERSION } from '../../stores/schema.ts';
import { describeError } from '../../telemetry/error-text.ts';
import type { Log } from '../../telemetry/log.ts';

const OUTCOME_LIFETIME_MS = 1_000;
/** Load balancers wait only a few seconds for the response to a probe. */
const ANSWER_TIMEOUT_MS = 2_000;

interface Parts {
  readonly config: { readonly database: Pick<DatabaseLocation, 'driver'> };
  readonly database: Database;
  readonly log: Log;
}

export function probeOperations(parts: Parts) {
  const checkReadiness = createReadinessCheck(parts);
  return {
    reportLiveness: operation({
      method: 'GET', path: '/livez', access: 'public',
      replies: words({ status: 'live' }),
      handle: async () => {},
    }),

    reportReadiness: operation({
      method: 'GET', path: '/readyz', access: 'public',
      replies: words({ status: 'ready' }),
      refuses: ['notReady'],
      async handle({ lifeCycle: { stage } }) {
        // During start and shutdown, `/readyz` does not query the database, because the database can be slow.
        const failedChecks = stage === 'serving' ? await checkReadiness() : [stage];
        return failedChecks.length > 0 ? refuse('notReady', failedChecks) : undefined;
      },
    }),
  };
}

/**
 * Anybody can call `/readyz` as often as they want. To spare the database, the returned function reuses each
 * result for one second.
 *
 * @returns A function whose promise resolves to the names of the failed checks, and never rejects.
 */
export function createReadinessCheck({ config, database, log }: Parts) {
  let latest: Promise<readonly string[]> | undefined;

  async function check(): Promise<readonly string[]> {
    try {
      const answer = readSchemaVersion(database, 'recent'); // in a cluster, any node can answer this read
      const found = await Promise.race([answer, wait(ANSWER_TIMEOUT_MS, 'late' as const, { ref: false })]);
      if (found === 'late') {
        throw new Error(`No answer within ${ANSWER_TIMEOUT_MS} ms`);
      }
      return found === SCHEMA_VERSION ? [] : ['schema'];
    } catch (error) {
      log('warn', 'database not ready', { error: describeError(error) });
      return [config.database.driver === 'rqlite' ? 'cluster' : 'database'];
    }
  }

  return () => (latest ??= check().finally(() => {
    setTimeout(() => { latest = undefined; }, OUTCOME_LIFETIME_MS).unref();
  }));
}
