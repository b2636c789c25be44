/** Connects the parts of the core with an HTTP server. The programs add the extras. */
import type { Operations } from './api/operation.ts';
import type { Services } from './api/services.ts';
import { createApp } from './app.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import { createChangeBudget } from './auth/change-budget.ts';
import { createFailureReport } from './auth/failure-report.ts';
import { createPasswordCheck } from './auth/password-check.ts';
import { createPasswordHasher, type ScryptParameters } from './auth/password.ts';
import { createFailureLimit, createThrottle, FAILURES_PER_ADDRESS_MAX } from './auth/throttle.ts';
import { createVerifiedCache, VERIFIED_SECONDS, type VerifiedCache } from './auth/verified-cache.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import { createListener, LISTENER_LIMITS } from './http/listener.ts';
import { CONNECTIONS_PER_ADDRESS_MAX, trackSockets } from './http/sockets.ts';
import type { StaticFiles } from './http/static-files.ts';
import type { TlsOptions } from './http/tls.ts';
import type { Clock } from './model/clock.ts';
import { createQueues, PASSWORD_WAIT_MS_MAX, type Queues } from './queues.ts';
import { greetingOperations } from './resources/greeting.ts';
import { passwordOperations } from './resources/passwords.ts';
import { projectOperations } from './resources/projects.ts';
import { staticOperations } from './resources/static.ts';
import { tokenOperations } from './resources/tokens.ts';
import { userOperations } from './resources/users.ts';
import { createProjectStore } from './stores/projects.ts';
import { createTokenStore } from './stores/tokens.ts';
import { createUserChanges } from './stores/user-changes.ts';
import { createUserStore } from './stores/users.ts';
import { describeError } from './telemetry/error-text.ts';
import type { Log } from './telemetry/log.ts';
import type { Observer } from './telemetry/observer.ts';

export function createOperations(config: Config): Operations {
  return {
    ...tokenOperations(config),
    ...userOperations(config),
    ...passwordOperations(config),
    ...projectOperations,
    ...greetingOperations(config),
    ...staticOperations,
  };
}

/** Limits that only tests change. */
const LIMITS = {
  ...LISTENER_LIMITS,
  connectionsPerAddressMax: CONNECTIONS_PER_ADDRESS_MAX,
  failuresPerAddressMax: FAILURES_PER_ADDRESS_MAX,
  passwordWaitMs: PASSWORD_WAIT_MS_MAX,
  verifiedSeconds: VERIFIED_SECONDS,
};

export type Limits = Readonly<typeof LIMITS>;

interface CoreParts {
  readonly database: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly tls?: TlsOptions | undefined;
  /** The cost of a password hash; the usual cost by default. */
  readonly scrypt?: ScryptParameters | undefined;
  readonly limits?: Partial<Limits>;
  readonly extend: Extend;
}

export type Extend = (core: Pick<CoreParts, 'database' | 'log'> & {
  readonly config: Config;
  readonly queues: Queues;
  readonly verified: VerifiedCache;
}) => Promise<{
  readonly operations: Operations;
  readonly observer: Observer | undefined;
  readonly staticFiles: StaticFiles;
}>;

/** @returns A server that does not listen yet, and the parts that programs use. */
export async function createCore(
  config: Config, { database, log, clock, tls, scrypt, limits: chosen, extend }: CoreParts,
) {
  const limits = { ...LIMITS, ...chosen };
  const queues = createQueues(config, limits.passwordWaitMs);
  const verified = createVerifiedCache(limits.verifiedSeconds, clock);
  const { operations, observer, staticFiles } = await extend({ config, database, log, queues, verified });
  const users = createUserStore(database);
  const tokens = createTokenStore(database, config);
  const passwords = createPasswordHasher(queues.passwords, scrypt);
  const failures = createFailureReport();
  const throttle = createThrottle({ ...config, ...limits }, clock, (limit, network) =>
    log('warn', 'sign-ins throttled', { address: network, limit }));
  const checkPassword = createPasswordCheck({
    users, passwords, throttle, verified, onFailure: failures.add,
  });
  const services: Services = {
    users, tokens, passwords, checkPassword, staticFiles, clock,
    userChanges: createUserChanges(database, config),
    projects: createProjectStore(database, config),
    takenNames: createFailureLimit(limits.failuresPerAddressMax, clock, (network) =>
      log('warn', 'attempts at taken usernames throttled', { address: network })),
    authenticate: createAuthenticator({
      tokens, checkPassword, clock, directory: config.directory,
      onUseUnrecorded: (error) => log('warn', 'use of tokens not recorded', { error: describeError(error) }),
    }),
    reads: queues.reads,
    basePath: config.basePath ?? '',
    lifeCycle: { isEnding: false },
  };
  const spendBudget = createChangeBudget(config.changesPerUserMax, clock);
  const app = createApp({ config, operations, services, spendBudget, observer, log });
  const onCut = (address: string, bytes: number) =>
    log('warn', 'connection closed: the client did not read the response', { address, bytes });
  const server = createListener(limits, { ...app, onCut }, tls);
  const sockets = trackSockets(server, {
    perNetworkMax: limits.connectionsPerAddressMax,
    isTrusted: config.trustedProxies,
    onFull: (address) => log('warn', 'no more connections accepted', { address }),
  });
  return { server, sockets, services, queues, failures };
}
