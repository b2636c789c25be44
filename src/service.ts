/** Puts the parts together: a database and settings become a listener. */
import type { Server } from 'node:http';
import { createApp } from './app.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import { createPasswordHasher, type PasswordHasher, type ScryptParameters } from './auth/password.ts';
import { createThrottle } from './auth/throttle.ts';
import { createVerifiedCache } from './auth/verified-cache.ts';
import { createWorkQueue } from './auth/work-queue.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { Services } from './handlers/services.ts';
import { createListener } from './http/listener.ts';
import type { StaticFiles } from './http/static-files.ts';
import type { Clock } from './model/clock.ts';
import { createRoutes } from './routes.ts';
import { createProjectStore } from './stores/projects.ts';
import { createTokenStore } from './stores/tokens.ts';
import { createUserStore } from './stores/users.ts';
import type { Log } from './telemetry/log.ts';

interface ServiceParts {
  readonly config: Config;
  readonly database: Database;
  readonly staticFiles: StaticFiles;
  readonly passwords: PasswordHasher;
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * Two hashes at once use both cores of a small machine and leave two of the four threads in the pool of Node.js to
 * everything else; forty more are about three seconds of work.
 */
const HASHES_RUNNING_MAX = 2;
const HASHES_WAITING_MAX = 40;

/** @param parameters - Those in force unless given, which only tests do. */
export function createPasswords(parameters?: ScryptParameters): PasswordHasher {
  return createPasswordHasher(createWorkQueue({ runningMax: HASHES_RUNNING_MAX, waitingMax: HASHES_WAITING_MAX }), parameters);
}

/** @returns A server that does not listen yet. */
export function createService({ config, database, staticFiles, passwords, log, clock }: ServiceParts): Server {
  const throttle = createThrottle(
    {
      failuresPerNameMax: config.failuresPerNameMax,
      failuresPerAddressMax: config.failuresPerAddressMax,
      windowSeconds: config.failureWindowSeconds,
    },
    clock,
  );
  const services: Services = {
    users: createUserStore(database),
    projects: createProjectStore(database),
    tokens: createTokenStore(database),
    passwords,
    throttle,
    staticFiles,
    clock,
    tokenLifetimes: { defaultSeconds: config.tokenLifetimeSeconds, maxSeconds: config.tokenLifetimeSecondsMax },
  };
  const authenticate = createAuthenticator({
    accounts: {
      findUserWithPassword: services.users.findWithPassword,
      findTokenOwner: services.tokens.findOwner,
      renewPasswordHash: services.users.renewPasswordHash,
    },
    passwords,
    throttle,
    verified: createVerifiedCache(config.verifiedSeconds, clock),
    clock,
  });
  const app = createApp({
    routes: createRoutes(config),
    services,
    authenticate,
    log,
    corsOrigin: config.corsOrigin,
    bodyBytesMax: config.bodyBytesMax,
  });
  return createListener(config, app);
}
