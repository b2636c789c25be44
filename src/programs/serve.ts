/** Serves: reads the settings, listens, opens the database, and shuts down in order after a signal. */
import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createFirstAdministrator } from '../administrators.ts';
import type { LifeCycle, Services } from '../api/services.ts';
import { listSettings, readConfig, toTlsFiles, type Config } from '../config.ts';
import { createCore } from '../core.ts';
import { readTlsOptions, renewCertificates } from '../http/tls.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, fail, Failure } from '../runtime.ts';
import { createAuditStore } from '../stores/audit.ts';
import { describeError, reasonOf } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import { createLateDatabase, openReadyDatabase } from './database.ts';
import { addExtras, late } from './extras.ts';
import { startHousekeeping } from './housekeeping.ts';
import { drain, untilSignal, WAITING_CONNECTIONS_MAX } from './life-cycle.ts';
import { createProcessLog, logProcessEvents } from './process-log.ts';
import { readVersion } from './version.ts';

export async function serve(): Promise<void> {
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
  }
  const { config, retired } = outcome;
  const { log, end } = createProcessLog(config, Date.now);
  const exit = (code: number): void => void end().then(() => process.exit(code));
  logProcessEvents(log, () => exit(EXIT_FAILURE));
  const signal = untilSignal(() => exit(EXIT_FAILURE));
  log('debug', 'settings', listSettings());
  if (Object.keys(retired).length > 0) {
    log('warn', 'retired settings are ignored', retired);
  }
  try {
    // If the signal comes first, there is nothing to finish.
    const stop = await Promise.race([start(config, log), signal.then(() => undefined)]);
    log('info', 'ending', { reason: await signal });
    await stop?.();
    log('info', 'ended');
    exit(EXIT_OK);
  } catch (error) {
    if (!(error instanceof Failure)) {
      log('error', 'cannot start or end', { error: describeError(error) });
    }
    fail(EXIT_FAILURE, reasonOf(error));
    exit(EXIT_FAILURE);
  }
}

/**
 * Checks everything that may refuse a start before it changes the database: settings, static files, port.
 * Requests then wait until the database is open and has its administrator. While it is upgraded, the probes
 * answer, and what needs the database is 503.
 *
 * @returns A function that shuts down in order.
 */
async function start(config: Config, log: Log): Promise<() => Promise<void>> {
  const tlsFiles = toTlsFiles(config);
  const tls = tlsFiles && readTlsOptions(tlsFiles);
  const { database, open } = createLateDatabase();
  const parts = { database, log, clock: Date.now, tls, extend: addExtras };
  const { server, sockets, services, failures } = await createCore(config, parts);
  const letIn = holdRequests(services.lifeCycle);
  await listen(server, config);
  open(await openReadyDatabase(config.database, log, () => letIn('upgrading')));
  await ensureAdministrator(config, services, log);
  if (tlsFiles !== undefined && isSecure(server)) {
    renewCertificates(
      server, tlsFiles,
      (validTo) => log('info', 'certificate renewed', { valid_to: validTo }),
      (error) => log('error', 'certificate not renewed', { error: reasonOf(error) }),
    );
  }
  letIn(undefined);
  log('info', 'listening', {
    ...toUrls(server, config), version: readVersion(), node: process.versions.node,
  });
  const { auditRetentionSeconds, database: location } = config;
  const stopHousekeeping = startHousekeeping({
    ...services,
    failures,
    audit: createAuditStore(database),
    auditRetentionSeconds,
    async maintainDatabase() {
      if (location.driver === 'rqlite') {
        await late.watchCluster?.(
          { location, database }, (fault) => log('warn', 'database node at fault', { fault }),
        );
      }
    },
  }, (error) => log('error', 'housekeeping failed', { error: describeError(error) }));

  return async () => {
    services.lifeCycle.isEnding = true;
    await pause(config.shutdownDelayMs);
    const cutOffCount = await drain(server, sockets);
    if (cutOffCount > 0) {
      log('warn', 'connections cut off', { count: cutOffCount });
    }
    await stopHousekeeping();
    await database.close();
  };
}

/** @returns A function that lets the requests in, and says what the service is not ready for, if anything. */
function holdRequests(lifeCycle: LifeCycle): (stage: LifeCycle['startStage']) => void {
  let end = (): void => {};
  lifeCycle.starting = new Promise((resolve) => { end = resolve; });
  lifeCycle.startStage = 'starting';
  return (stage) => {
    lifeCycle.startStage = stage;
    lifeCycle.starting = undefined;
    end();
  };
}

async function ensureAdministrator(config: Config, services: Services, log: Log): Promise<void> {
  const { adminUsername: username, adminPassword: password, adminEmail: email } = config;
  if (username === undefined || password === undefined) {
    if (!(await services.users.hasAdministrator())) {
      log('info', 'there is no administrator yet: see admin create, or ADMIN_USERNAME');
    }
  } else if (await createFirstAdministrator({ username, password, email }, { ...services, rule: config })) {
    log('info', 'administrator created', { username });
  }
}

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const message = error.code === 'EADDRINUSE'
        ? `Port ${port} is in use: stop the other program, or set PORT (0 chooses a free one)`
        : `Cannot listen on ${host}:${port}: ${reasonOf(error)}. Check HOST and PORT`;
      reject(new Failure(message, { cause: error }));
    });
    server.listen({ port, host, backlog: WAITING_CONNECTIONS_MAX }, resolve);
  });
}

/** Asks for a method, because the class would load `node:https`. */
function isSecure(server: Server): server is SecureServer {
  return 'setSecureContext' in server;
}

/** The address of the API for programs, and the address of the landing page for people. */
function toUrls(server: Server, config: Config): { readonly url: string; readonly pages: string } {
  const { address, port } = server.address() as AddressInfo; // a server on a port has one
  const scheme = isSecure(server) ? 'https' : 'http';
  const host = address.includes(':') ? `[${address}]` : address;
  const url = `${scheme}://${host}:${port}${config.basePath ?? ''}`;
  return { url, pages: `${url}/static/` };
}
