/**
 * `/livez` and `/readyz`, for orchestrators and load balancers. Orchestrators restart a service whose
 * `/livez` fails, but a restart does not repair a database, so only `/readyz` queries the database.
 */
import { operation } from '../../api/operation.ts';
import { refuse } from '../../api/refusal.ts';
import { words } from '../../api/replies.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../../database/database.ts';
import { schema } from '../../stores/schema.ts';
import { describeError } from '../../telemetry/error-text.ts';
import type { Log } from '../../telemetry/log.ts';
import { createReadinessCheck } from './readiness.ts';

export function probeOperations(
  { config, database, log }: { config: Pick<Config, 'database'>, database: Database, log: Log },
) {
  const name = config.database.driver === 'rqlite' ? 'cluster' : 'database';
  const checkReadiness = createReadinessCheck(database, name, schema.version, (error) => {
    log('warn', 'database not ready', { error: describeError(error) });
  });
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
      async handle({ lifeCycle }) {
        const stage = lifeCycle.isEnding ? 'draining' : lifeCycle.startStage;
        // During start and end, `/readyz` does not query the database, because the database may be slow.
        const failedChecks = stage !== undefined ? [stage] : await checkReadiness();
        return failedChecks.length > 0 ? refuse('notReady', failedChecks) : undefined;
      },
    }),
  };
}
