/** Serves: reads the settings, opens the database, listens, and shuts down in order. */
import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createFirstAdministrator } from '../administrators.ts';
import type { Services } from '../api/services.ts';
import { listSettings, readConfig, toTlsFiles, type Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { readTlsOptions, renewCertificates } from '../http/tls.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, Failure } from '../runtime.ts';
import { createService } from '../service.ts';
import { createAuditStore } from '../stores/audit.ts';
import { schema } from '../stores/schema.ts';
import { describeError, reasonOf } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import { createDatabaseMaintenance, openReadyDatabase } from './database.ts';
import { addExtras } from './extras.ts';
import { startHousekeeping } from './housekeeping.ts';
import { drain, watchForEnd, WAITING_CONNECTIONS_MAX } from './life-cycle.ts';
import { createProcessLog, logProcessEvents } from './process-log.ts';

/** Serves until a signal ends the process. */
export async function serve(): Promise<void> {
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
  }
  const { config, retired } = outcome;
  const { log, end } = createProcessLog(config, Date.now);
  const exit = (code: number): void => void end().then(() => process.exit(code));
  logProcessEvents(log, () => exit(EXIT_FAILURE));
  const endRequested = watchForEnd(() => exit(EXIT_FAILURE));
  log('debug', 'settings', listSettings());
  if (Object.keys(retired).length > 0) {
    log('warn', 'retired settings are ignored', retired);
  }
  let service: RunningService | undefined;
  try {
    // If the request to end comes first, there is nothing to finish.
    service = await Promise.race([start(config, log), endRequested.then(() => undefined)]);
  } catch (error) {
    if (!(error instanceof Failure)) {
      log('error', 'cannot start', { error: describeError(error) });
    }
    fail(EXIT_FAILURE, reasonOf(error));
    return exit(EXIT_FAILURE);
  }
  const reason = await endRequested;
  log('info', 'ending', { reason });
  await service?.stop();
  log('info', 'ended');
  exit(EXIT_OK);
}

interface RunningService {
  /** Shuts down in order. */
  stop(): Promise<void>;
}

async function start(config: Config, log: Log): Promise<RunningService> {
  const clock = Date.now;
  const tlsFiles = toTlsFiles(config);
  const tls = tlsFiles && readTlsOptions(tlsFiles);
  const database = await openDatabase(config, log);
  const service = await createService(config, { database, log, clock, tls, extend: addExtras });
  const { server, sockets, services, failures } = service;
  await ensureAdministrator(config, services, log);
  if (tlsFiles !== undefined && server instanceof SecureServer) {
    renewCertificates(server, tlsFiles, {
      onRenewed: (validTo) => log('info', 'certificate renewed', { valid_to: validTo }),
      onFailed: (error) => log('error', 'certificate not renewed', { error: reasonOf(error) }),
    });
  }
  await listen(server, config);
  const urls = toUrls(server.address() as AddressInfo, config);
  log('info', 'listening', { ...urls, node: process.versions.node });
  const endHousekeeping = startHousekeeping(
    {
      ...services,
      database,
      failures,
      audit: createAuditStore(database),
      auditRetentionSeconds: config.auditRetentionSeconds,
      maintainDatabase: await createDatabaseMaintenance(config.database, database, (fault) => {
        log('warn', 'database node at fault', { fault });
      }),
    },
    (error) => log('error', 'housekeeping failed', { error: describeError(error) }),
  );
  return {
    async stop() {
      services.lifeCycle.isEnding = true;
      const cutOffCount = await drain(server, sockets, config);
      if (cutOffCount > 0) {
        log('warn', 'connections cut off', { count: cutOffCount });
      }
      await endHousekeeping();
      await database.close();
    },
  };
}

async function openDatabase(config: Config, log: Log): Promise<Database> {
  try {
    const { database, outcome, copy } = await openReadyDatabase(config.database);
    if (outcome.kind === 'created') {
      log('info', 'database created', { schema_version: schema.version });
    } else if (outcome.kind === 'upgraded') {
      log('info', 'database upgraded', { from: outcome.from, schema_version: schema.version, copy });
    }
    return database;
  } catch (error) {
    throw new Failure(reasonOf(error), { cause: error });
  }
}

async function ensureAdministrator(config: Config, services: Services, log: Log): Promise<void> {
  const { adminUsername: username, adminPassword: password, adminEmail: email } = config;
  if (username === undefined || password === undefined) {
    if (!(await services.users.hasAdministrator())) {
      log('info', 'there is no administrator yet: see admin create, or ADMIN_USERNAME');
    }
    return;
  }
  if (await createFirstAdministrator({ username, password, email }, { ...services, rule: config })) {
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

/** The address of the API for programs, and that of the landing page for people. */
function toUrls({ address, port }: Pick<AddressInfo, 'address' | 'port'>, config: Config) {
  const scheme = toTlsFiles(config) === undefined ? 'http' : 'https';
  const host = address.includes(':') ? `[${address}]` : address;
  const url = `${scheme}://${host}:${port}${config.basePath ?? ''}`;
  return { url, pages: `${url}/static/` };
}

/** Writes one message for the operator, and sets the exit code. */
export function fail(exitCode: number, message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
