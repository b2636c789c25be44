/**
 * `/livez` and `/readyz`, for orchestrators and load balancers. Only readiness queries the database, so that
 * a database outage causes no restarts.
 */
import { constant } from '../../api/answers.ts';
import { operation } from '../../api/operation.ts';
import { refuse } from '../../api/problems.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../../database/database.ts';
import { schema } from '../../stores/schema.ts';
import { describeError } from '../../telemetry/error-text.ts';
import type { Log } from '../../telemetry/log.ts';
import { createReadinessCheck } from './readiness.ts';

interface ProbeParts {
  readonly config: Pick<Config, 'database'>;
  readonly database: Database;
  readonly log: Log;
}

export function probeOperations({ config, database, log }: ProbeParts) {
  const checkReadiness = createReadinessCheck(database, {
    name: config.database.driver === 'rqlite' ? 'cluster' : 'database',
    versionMin: schema.version,
    onError: (error) => log('warn', 'database not ready', { error: describeError(error) }),
  });
  return {
    reportLiveness: operation({
      method: 'GET',
      path: '/livez',
      access: 'public',
      tag: 'Service',
      summary: 'Check that the process responds',
      description:
        'Depends on nothing else, so that no outage elsewhere makes an orchestrator restart the process.',
      answers: constant('The process responds.', { status: 'live' }),
      handle: () => undefined,
    }),

    reportReadiness: operation({
      method: 'GET',
      path: '/readyz',
      access: 'public',
      tag: 'Service',
      summary: 'Check that the service can take requests',
      description: 'For load balancers. The database is queried once a second, for any number of requests.',
      answers: constant('The service is ready.', { status: 'ready' }),
      refuses: ['notReady'],
      async handle({ lifeCycle }) {
        // A slow database must not delay the shutdown.
        const failedChecks = lifeCycle.isEnding ? ['draining'] : await checkReadiness();
        return failedChecks.length > 0 ? refuse('notReady', failedChecks) : undefined;
      },
    }),
  };
}
