/** Puts the parts together: a database and settings become a listener. */
import type { Server } from 'node:http';
import { createApp } from './app.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import type { FailureCount } from './auth/failure-count.ts';
import { toNetwork } from './auth/network.ts';
import { createPasswordCheck } from './auth/password-check.ts';
import { createPasswordHasher, type PasswordHasher, type ScryptParameters } from './auth/password.ts';
import { createRecentSignIns } from './auth/recent-sign-ins.ts';
import { createThrottle } from './auth/throttle.ts';
import { createTokenUseNotes } from './auth/token-use.ts';
import { createVerifiedCache } from './auth/verified-cache.ts';
import { createWorkQueue } from './auth/work-queue.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { Services } from './handlers/services.ts';
import { toPlainAddress } from './http/client-address.ts';
import { limitConnections } from './http/connections.ts';
import { createListener } from './http/listener.ts';
import type { StaticFiles } from './http/static-files.ts';
import type { TlsOptions } from './http/tls.ts';
import { createServiceMetrics } from './metrics.ts';
import type { Clock } from './model/clock.ts';
import type { LifeCycle } from './model/life-cycle.ts';
import { createRoutes } from './routes.ts';
import { createAuditStore } from './stores/audit.ts';
import { schema } from './stores/schema.ts';
import { createProjectStore } from './stores/projects.ts';
import { createReadinessCheck } from './stores/readiness.ts';
import { createTokenStore } from './stores/tokens.ts';
import { createUserChanges } from './stores/user-changes.ts';
import { createUserStore } from './stores/users.ts';
import { describeError, type Log } from './telemetry/log.ts';
import type { Metric } from './telemetry/metrics.ts';

interface ServiceParts {
  readonly config: Config;
  readonly database: Database;
  readonly staticFiles: StaticFiles;
  readonly passwords: PasswordHasher;
  readonly failures: FailureCount;
  readonly log: Log;
  readonly clock: Clock;
  readonly lifeCycle: Readonly<LifeCycle>;
  /** Absent to serve plain HTTP. */
  readonly tls: TlsOptions | undefined;
  /** Adds the metrics of other processes to those of this one. */
  readonly gatherMetrics: (collectOwn: () => readonly Metric[]) => () => Promise<readonly Metric[]>;
}

/**
 * Use both cores of a small machine, and leave two of the four threads in the pool of Node.js to everything
 * else.
 */
const HASHES_RUNNING_MAX = 2;

/** @param parameters - Those in force unless given, which only tests do. */
export function createPasswords(
  { passwordWaitMs }: Pick<Config, 'passwordWaitMs'>,
  parameters?: ScryptParameters,
): PasswordHasher {
  const queue = createWorkQueue({ runningMax: HASHES_RUNNING_MAX, waitMsMax: passwordWaitMs });
  return createPasswordHasher(queue, parameters);
}

/** @returns A server that does not listen yet. */
export function createService(parts: ServiceParts): Server {
  const { config, database, staticFiles, passwords, failures, log, clock, lifeCycle, tls, gatherMetrics } = parts;
  const limits = toLimits(config);
  const throttle = createThrottle({
    limits,
    recent: createRecentSignIns(clock),
    clock,
    onTrip({ network, limit, userId }) {
      log('warn', 'sign-ins throttled', { address: network, limit, user_id: userId });
    },
  });
  const takenNames = createThrottle({
    limits,
    recent: createRecentSignIns(clock),
    clock,
    onTrip: ({ network }) => log('warn', 'registrations throttled', { address: network }),
  });
  const users = createUserStore(database);
  const verified = createVerifiedCache(config.verifiedSeconds, clock);
  const metrics = createServiceMetrics({ database, verified });
  const checkPassword = createPasswordCheck({
    passwords,
    throttle,
    verified,
    renewPasswordHash: users.renewPasswordHash,
    onFailure: failures.add,
  });
  const services: Services = {
    users,
    userChanges: createUserChanges(database, config),
    projects: createProjectStore(database, config),
    tokens: createTokenStore(database, config),
    audit: createAuditStore(database),
    passwords,
    checkPassword,
    takenNames,
    staticFiles,
    clock,
    lifeCycle,
    checkReadiness: createReadinessCheck(database, {
      name: config.database.driver === 'rqlite' ? 'cluster' : 'database',
      versionMin: schema.version,
      onError: (error) => log('warn', 'database not ready', { error: describeError(error) }),
    }),
    metrics: { isServed: config.metrics === 'on', token: config.metricsToken, collect: gatherMetrics(metrics.collect) },
    tokenLifetimes: { defaultSeconds: config.tokenLifetimeSeconds, maxSeconds: config.tokenLifetimeSecondsMax },
  };
  const authenticate = createAuthenticator({
    accounts: {
      findUserWithPassword: users.findWithPassword,
      findToken: services.tokens.findWithOwner,
      recordTokenUse: createTokenUseNotes(services.tokens.recordUse, (error) => {
        log('warn', 'use of tokens not recorded', { error: describeError(error) });
      }),
    },
    passwords,
    checkPassword,
    throttle,
    clock,
  });
  const app = createApp({
    routes: createRoutes(config),
    services,
    authenticate,
    metrics,
    log,
    corsOrigin: config.corsOrigin,
    limits: config,
    isTrustedProxy: config.trustedProxies,
    basePath: config.basePath ?? '',
    isSecure: tls !== undefined,
  });
  const server = createListener(config, app, tls);
  limitConnections(server, config, {
    ownerOf(peer) {
      const address = toPlainAddress(peer);
      return config.trustedProxies?.(address) ? undefined : toNetwork(address); // a proxy calls for everybody
    },
    onRefused: (count, address) => log('warn', 'connections refused', { count, address }),
  });
  return server;
}

/** Workers count separately, so each gets its share: together they allow no more than one process would. */
function toLimits({ failuresPerNameMax, failuresPerAddressMax, failureWindowSeconds, workers }: Config) {
  return {
    failuresPerNameMax: Math.ceil(failuresPerNameMax / workers),
    failuresPerAddressMax: Math.ceil(failuresPerAddressMax / workers),
    windowSeconds: failureWindowSeconds,
  };
}
