/** Connects the parts of the core with the operations of the extras and with an HTTP server. */
import type { Operations } from './api/operation.ts';
import type { Services } from './api/services.ts';
import { createApp, type AppParts } from './app.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import { createChangeBudget } from './auth/change-budget.ts';
import { createPasswordCheck, type PasswordCheckParts } from './auth/password-check.ts';
import { createPasswordHasher, SCRYPT_PARAMETERS } from './auth/password.ts';
import { createFailureLimit, createThrottle } from './auth/throttle.ts';
import { readTls, type Config } from './config.ts';
import type { Database } from './database/database.ts';
import { createListener, LISTENER_LIMITS } from './http/listener.ts';
import type { StaticFiles } from './http/static-files.ts';
import type { Clock } from './model/clock.ts';
import { greetingOperations } from './resources/greeting.ts';
import { passwordOperations } from './resources/passwords.ts';
import { projectOperations } from './resources/projects.ts';
import { staticOperations } from './resources/static.ts';
import { tokenOperations } from './resources/tokens.ts';
import { userOperations } from './resources/users.ts';
import { createFairQueue } from './scheduling/fair-queue.ts';
import { createProjectStore } from './stores/projects.ts';
import { createTokenStore } from './stores/tokens.ts';
import { createUserChanges } from './stores/user-changes.ts';
import { createUserStore } from './stores/users.ts';
import { describeError } from './telemetry/error-text.ts';

export function createOperations(config: Config): Operations {
  return {
    ...tokenOperations(config),
    ...userOperations(config.registration, config.passwordLengthMin),
    ...passwordOperations(config.passwordLengthMin),
    ...projectOperations,
    ...greetingOperations(config),
    ...staticOperations,
  };
}

/** The limits of the service, and the parameters of scrypt. Only tests change these values. */
const LIMITS = {
  ...LISTENER_LIMITS,
  /**
   * The maximum number of failed sign-ins from one network, such as a school network, in five minutes.
   * Attempts to choose a taken username have the same maximum, but a separate count.
   */
  failuresPerNetworkMax: 1_000,
  /** The service refuses a request that would probably wait longer than this time to hash a password. */
  passwordWaitMs: 30_000,
  /** The service caches a correct password for this time, because hashing a password takes 150 ms. */
  verifiedSeconds: 60,
  scrypt: SCRYPT_PARAMETERS,
};

export type Limits = Readonly<typeof LIMITS>;

export interface CoreParts extends AppParts {
  readonly database: Database;
  readonly onSignInFailure?: PasswordCheckParts['onSignInFailure'];
  readonly staticFiles: StaticFiles;
  readonly clock: Clock;
  readonly limits?: Partial<Limits>;
}

/** @returns A server that does not listen yet, the set of its open sockets, and the services. */
export function createCore(parts: CoreParts) {
  const { config, database, onSignInFailure, staticFiles, log, clock } = parts;
  const limits = { ...LIMITS, ...parts.limits };
  const isEmbedded = config.database.driver === 'sqlite';
  const queues = {
    // Hashing two passwords at a time uses two cores, and two of the four threads in the pool of Node.js.
    passwords: createFairQueue({ runningMax: 2, waitMsMax: limits.passwordWaitMs, durationMsGuessed: 150 }),
    reads: createFairQueue({
      // With SQLite, reads run in this process, one at a time. With a cluster, reads run in the nodes.
      runningMax: isEmbedded ? 1 : 16,
      waitMsMax: 10_000, // clients and people stop waiting after about this time
      durationMsGuessed: 5,
      sharesLoop: isEmbedded,
    }),
  };
  const users = createUserStore(database);
  const tokens = createTokenStore(database, config.tokensPerUserMax);
  const passwords = createPasswordHasher(queues.passwords, limits.scrypt);
  const throttle = createThrottle({ ...config, ...limits }, clock, (limit, network) =>
    log('warn', 'sign-ins throttled', { address: network, limit }));
  const { checkPassword, lookUps } = createPasswordCheck({
    users, passwords, throttle, clock, onSignInFailure, verifiedSeconds: limits.verifiedSeconds,
  });
  const services: Services = {
    users, tokens, passwords, queues, checkPassword, lookUps, staticFiles, clock,
    userChanges: createUserChanges(database, config.projectsPerUserMax),
    projects: createProjectStore(database, config.projectsPerUserMax),
    takenNames: createFailureLimit(limits.failuresPerNetworkMax, clock, (network) =>
      log('warn', 'attempts to choose taken usernames throttled', { address: network })),
    authenticate: createAuthenticator({
      tokens, checkPassword, clock, directory: config.directory,
      onUseUnrecorded: (error) => log('warn', 'use of tokens not recorded', { error: describeError(error) }),
    }),
    spendChange: createChangeBudget(config.changesPerUserMax, clock),
    basePath: config.basePath ?? '',
    lifeCycle: { stage: 'serving' },
  };
  return { ...createListener(limits, createApp(services, parts), readTls(config)), services };
}
