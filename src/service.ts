/** Assembles the core: operations, stores, authentication and the life of a request, on an HTTP server. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Operations } from './api/operation.ts';
import type { Services } from './api/services.ts';
import { createApp } from './app.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import { createChangeBudget } from './auth/change-budget.ts';
import { toNetwork } from './auth/client.ts';
import { createFailureLimit } from './auth/failure-limit.ts';
import { createFailureReport, type FailureReport } from './auth/failure-report.ts';
import { createPasswordCheck } from './auth/password-check.ts';
import { createPasswordHasher, type ScryptParameters } from './auth/password.ts';
import { createThrottle, FAILURES_PER_ADDRESS_MAX } from './auth/throttle.ts';
import { createVerifiedCache, VERIFIED_SECONDS, type VerifiedCache } from './auth/verified-cache.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import { FRAMING_LIMITS } from './http/framing.ts';
import { createListener, LISTENER_LIMITS } from './http/listener.ts';
import { SOCKET_LIMITS, trackSockets } from './http/sockets.ts';
import type { StaticFiles } from './http/static-files.ts';
import type { TlsOptions } from './http/tls.ts';
import type { Clock } from './model/clock.ts';
import { callerOperations } from './resources/caller.ts';
import { greetingOperations } from './resources/greeting.ts';
import { passwordOperations } from './resources/passwords.ts';
import { projectOperations } from './resources/projects.ts';
import { staticOperations } from './resources/static.ts';
import { tokenOperations } from './resources/tokens.ts';
import { userOperations } from './resources/users.ts';
import { createFairQueue, type FairQueue } from './scheduling/fair-queue.ts';
import { createLoopShare } from './scheduling/loop-share.ts';
import { createProjectStore } from './stores/projects.ts';
import { createTokenStore } from './stores/tokens.ts';
import { createUserChanges } from './stores/user-changes.ts';
import { createUserDeletion } from './stores/user-deletion.ts';
import { createUserStore } from './stores/users.ts';
import { describeError } from './telemetry/error-text.ts';
import type { Log } from './telemetry/log.ts';
import type { Observer } from './telemetry/observer.ts';

type OperationSettings = Parameters<typeof userOperations>[0] & Parameters<typeof tokenOperations>[0] &
  Parameters<typeof greetingOperations>[0];

/** All operations of the core by their ids. The programs add the operations of the extras. */
export function createOperations(settings: OperationSettings): Operations {
  return {
    ...tokenOperations(settings),
    ...callerOperations,
    ...userOperations(settings),
    ...passwordOperations(settings),
    ...projectOperations,
    ...greetingOperations(settings),
    ...staticOperations,
  };
}

/** The parts that differ between the program and tests. */
interface ServiceParts {
  /** Limits that tests choose; the program has the usual ones. */
  readonly limits?: Partial<Limits> | undefined;
  readonly database: Database;
  readonly log: Log;
  readonly clock: Clock;
  /** Absent to serve plain HTTP. */
  readonly tls?: TlsOptions | undefined;
  /** The cost of a password hash, the usual cost unless given. */
  readonly scrypt?: ScryptParameters | undefined;
  /** Chooses the parts that depend on the extras. */
  readonly extend: Extend;
}

export type Extend = (core: {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  readonly queues: Queues;
  readonly verified: VerifiedCache;
}) => Promise<{
  readonly operations: Operations;
  readonly observer: Observer | undefined;
  readonly staticFiles: StaticFiles;
}>;

/**
 * The most hashes at once: enough to use both cores of a small machine. Two of the four threads in the pool
 * of Node.js remain for everything else.
 */
const HASHES_RUNNING_MAX = 2;
const HASH_MS_GUESSED = 150;

/** A password that would wait longer to be checked is refused at once. */
const PASSWORD_WAIT_MS_MAX = 30_000;

/** SQLite runs in this process, so its reads cannot overlap. A cluster has processors of its own. */
const READS_RUNNING_MAX = { sqlite: 1, rqlite: 16 };
/** Clients and people give up after about this time. */
const READ_WAIT_MS_MAX = 10_000;
const READ_MS_GUESSED = 5;

/** The work that a flood of requests must not start all at once. */
export type Queues = Readonly<Record<'passwords' | 'reads', FairQueue>>;

export function createQueues(
  { database }: Pick<Config, 'database'>, passwordWaitMs = PASSWORD_WAIT_MS_MAX,
): Queues {
  return {
    passwords: createFairQueue({
      runningMax: HASHES_RUNNING_MAX, waitMsMax: passwordWaitMs, durationMsGuessed: HASH_MS_GUESSED,
    }),
    reads: createFairQueue({
      runningMax: READS_RUNNING_MAX[database.driver],
      waitMsMax: READ_WAIT_MS_MAX,
      durationMsGuessed: READ_MS_GUESSED,
      ...(database.driver === 'sqlite' && { pauseAfter: createLoopShare() }),
    }),
  };
}

/** Limits with one right value for every installation. The parts that enforce them give the reasons. */
const LIMITS = {
  ...LISTENER_LIMITS,
  ...FRAMING_LIMITS,
  ...SOCKET_LIMITS,
  failuresPerAddressMax: FAILURES_PER_ADDRESS_MAX,
  passwordWaitMs: PASSWORD_WAIT_MS_MAX,
  verifiedSeconds: VERIFIED_SECONDS,
};

export type Limits = Readonly<typeof LIMITS>;

interface Service {
  /** Does not listen yet. */
  readonly server: Server;
  /** The open sockets of the server. */
  readonly sockets: ReadonlySet<Socket>;
  readonly services: Services;
  readonly queues: Queues;
  /** Failed sign-ins that are not recorded yet. */
  readonly failures: FailureReport;
}

export async function createService(
  config: Config, { database, log, clock, tls, scrypt, extend, limits: chosen }: ServiceParts,
): Promise<Service> {
  const limits = { ...LIMITS, ...chosen };
  const queues = createQueues(config, limits.passwordWaitMs);
  const passwords = createPasswordHasher(queues.passwords, scrypt);
  const verified = createVerifiedCache(limits.verifiedSeconds, clock);
  const failures = createFailureReport();
  const { operations, observer, staticFiles } = await extend({ config, database, log, queues, verified });
  const { failuresPerAddressMax } = limits;
  const throttle = createThrottle({ ...config, failuresPerAddressMax }, clock, (limit, network) => {
    log('warn', 'sign-ins throttled', { address: network, limit });
  });
  const takenNames = createFailureLimit(failuresPerAddressMax, clock, (network) => {
    log('warn', 'registrations throttled', { address: network });
  });
  const users = createUserStore(database);
  const checkPassword = createPasswordCheck({
    passwords,
    throttle,
    verified,
    onFailure: failures.add,
  });
  const tokens = createTokenStore(database, config);
  const authenticate = createAuthenticator({
    users,
    tokens,
    onUseUnrecorded: (error) => log('warn', 'use of tokens not recorded', { error: describeError(error) }),
    passwords,
    checkPassword,
    throttle,
    clock,
  });
  const services: Services = {
    users,
    userChanges: createUserChanges(database),
    userDeletion: createUserDeletion(database, config),
    projects: createProjectStore(database, config),
    tokens,
    passwords,
    checkPassword,
    authenticate,
    reads: queues.reads,
    takenNames,
    staticFiles,
    basePath: config.basePath ?? '',
    directory: config.directory,
    clock,
    lifeCycle: { isEnding: false },
  };
  const app = createApp({
    operations,
    services,
    spendBudget: createChangeBudget(config.changesPerUserMax, clock),
    observer,
    log,
    corsOrigin: config.corsOrigin,
    limits,
    isTrustedProxy: config.trustedProxies,
    isSecure: tls !== undefined,
  });
  const handlers = {
    ...app,
    onCut: (address: string, sizeBytes: number) => {
      log('warn', 'connection closed: client does not read', { address, bytes: sizeBytes });
    },
  };
  const server = createListener(limits, handlers, tls);
  const sockets = trackSockets(server, limits, {
    // A proxy has many clients.
    ownerOf: (peer) => config.trustedProxies?.(peer) ? undefined : toNetwork(peer),
    onFull: (address) => log('warn', 'no more connections accepted', { address }),
  });
  return { server, sockets, services, queues, failures };
}
