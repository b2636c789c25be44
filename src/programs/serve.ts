/** Runs the service: reads the settings, listens, opens the database, and shuts down after a signal. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureAdministrator } from '../administrators.ts';
import { readConfig, toTlsFiles, type Config } from '../config.ts';
import { createCore } from '../core.ts';
import { readTlsOptions, renewCertificates } from '../http/tls.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, fail, failWith } from '../runtime.ts';
import { createAuditStore } from '../stores/audit.ts';
import { describeError, reasonOf } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import { createLateDatabase, openReadyDatabase } from './database.ts';
import { addExtras, late } from './extras.ts';
import { startHousekeeping } from './housekeeping.ts';
import { startProcessLog } from './process-log.ts';
import { drain, untilSignal, WAITING_CONNECTIONS_MAX } from './shutdown.ts';
import { readVersion } from './version.ts';

export async function serve(): Promise<void> {
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
  }
  const { config, retired } = outcome;
  const { log, exit } = startProcessLog(config, Date.now);
  const signal = untilSignal(() => exit(EXIT_FAILURE));
  if (Object.keys(retired).length > 0) {
    log('warn', 'retired settings are ignored', retired);
  }
  try {
    // After a signal during the start, there is nothing to finish.
    const stop = await Promise.race([start(config, log), signal.then(() => undefined)]);
    log('info', 'ending', { reason: await signal });
    await stop?.();
    log('info', 'ended');
    exit(EXIT_OK);
  } catch (error) {
    failWith(error);
    exit(EXIT_FAILURE);
  }
}

/**
 * Reads the certificate and the static files, and binds the port, before the database is changed. Requests
 * wait until the database is open and has its first administrator. During an upgrade, the probes answer, and
 * every request that needs the database gets 503.
 *
 * @returns A function that shuts the service down.
 */
async function start(config: Config, log: Log): Promise<() => Promise<void>> {
  const tlsFiles = toTlsFiles(config);
  const { database, open } = createLateDatabase();
  const { server, sockets, services, failures } = await createCore(config, {
    database, log, clock: Date.now, tls: tlsFiles && readTlsOptions(tlsFiles), extend: addExtras,
  });
  const { lifeCycle } = services;
  const held = Promise.withResolvers<void>();
  const letIn = (startStage?: 'upgrading'): void => {
    Object.assign(lifeCycle, { starting: undefined, startStage });
    held.resolve();
  };
  lifeCycle.starting = held.promise;
  await listen(server, config);
  open(await openReadyDatabase(config.database, log, () => letIn('upgrading')));
  await ensureAdministrator({ ...services, config, log });
  if (tlsFiles !== undefined) {
    renewCertificates(
      server as SecureServer, tlsFiles, // a server with a certificate is an HTTPS server
      (validTo) => log('info', 'certificate renewed', { valid_to: validTo }),
      (error) => log('error', 'certificate not renewed', { error: reasonOf(error) }),
    );
  }
  letIn();
  const { address, port } = server.address() as AddressInfo; // a server that listens on a port has an address
  const host = address.includes(':') ? `[${address}]` : address;
  const url = `${tlsFiles === undefined ? 'http' : 'https'}://${host}:${port}${config.basePath ?? ''}`;
  const { node } = process.versions;
  log('info', 'listening', { url, pages: `${url}/static/`, version: readVersion(), node });
  const { auditRetentionSeconds, database: location } = config;
  const stopHousekeeping = startHousekeeping({
    ...services, failures, auditRetentionSeconds, audit: createAuditStore(database),
    async maintainDatabase() {
      const cluster = location.driver === 'rqlite' ? { location, database } : undefined;
      const faults = cluster && await late.findNodeFaults?.(cluster, 'quick');
      faults?.forEach((fault) => log('warn', 'database node at fault', { fault }));
    },
  }, (error) => log('error', 'housekeeping failed', { error: describeError(error) }));

  return async () => {
    lifeCycle.isEnding = true;
    await pause(config.shutdownDelayMs);
    const cutOffCount = await drain(server, sockets);
    if (cutOffCount > 0) {
      log('warn', 'connections cut off', { count: cutOffCount });
    }
    await stopHousekeeping();
    await database.close();
  };
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  server.listen({ port, host, backlog: WAITING_CONNECTIONS_MAX });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'EADDRINUSE'
      ? `Port ${port} is in use: stop the other program, or set PORT (0 chooses a free port)`
      : `Cannot listen on ${host}:${port}: ${reasonOf(error)}. Check HOST and PORT`, { cause: error });
  });
}
