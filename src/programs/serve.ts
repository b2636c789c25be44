/** Runs the service: reads the settings, listens, opens the database, and shuts down after a signal. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureAdministrator } from '../administrators.ts';
import { readConfig, type Config } from '../config.ts';
import { createCore } from '../core.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, fail, failWith, readVersion } from '../runtime.ts';
import { createUserStore } from '../stores/users.ts';
import { describeError, reasonOf } from '../telemetry/error-text.ts';
import { startLog, type Log } from '../telemetry/log.ts';
import { createLateDatabase, openReadyDatabase } from './database.ts';
import { addExtras, late } from './extras.ts';
import { startHousekeeping } from './housekeeping.ts';
import { drain, untilSignal } from './shutdown.ts';

export async function serve(): Promise<void> {
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
  }
  const { config } = outcome;
  const { logLevel, logFormat } = config;
  const isPretty = logFormat === 'auto' ? process.stdout.isTTY : logFormat === 'pretty';
  const { log, exit } = startLog(logLevel, Date.now, isPretty ? await late.loadPrettyLines?.() : undefined);
  process.removeAllListeners('warning').on('warning', ({ name, message }) =>
    // At every start, Node.js warns that SQLite is experimental.
    log(/^SQLite.*experimental/.test(message) ? 'debug' : 'warn', message, { warning: name }));
  process.on('uncaughtException', (error) => {
    log('error', 'uncaught exception', { error: describeError(error) });
    exit(EXIT_FAILURE);
  });
  const signal = untilSignal(() => exit(EXIT_FAILURE));
  try {
    // If a signal arrives during the start, there is no work to finish.
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
 * The steps that change data come last. If an earlier step fails, no data is changed.
 *
 * @returns A function that stops the service.
 */
async function start(config: Config, log: Log): Promise<() => Promise<void>> {
  const { host, port, database: location, basePath = '', tlsCertFile, shutdownDelayMs } = config;
  const { database, open, refuse } = createLateDatabase();
  const extras = await addExtras({ config, database, log });
  const { server, sockets, services } = createCore({ ...extras, config, database, log, clock: Date.now });
  const { lifeCycle } = services;
  lifeCycle.stage = 'starting';
  server.listen({ port, host, backlog: 4_096 }); // the default of 511 is too low for a burst of connections
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'EADDRINUSE'
      ? `Port ${port} is in use: stop the other program, or set PORT (0 chooses a free port)`
      : `Cannot listen on ${host}:${port}: ${reasonOf(error)}. Check HOST and PORT`, { cause: error });
  });
  const opened = await openReadyDatabase(location, log, (...upgrade) => {
    lifeCycle.stage = 'upgrading';
    refuse();
    log(...upgrade);
  });
  await ensureAdministrator({ ...services, users: createUserStore(opened), config }, log);
  open(opened);
  lifeCycle.stage = 'serving';
  const bound = server.address() as AddressInfo; // a server that listens on a port has an address
  const address = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  const url = `${tlsCertFile === undefined ? 'http' : 'https'}://${address}:${bound.port}${basePath}`;
  const version = readVersion();
  log('info', 'listening', { url, pages: `${url}/static/`, version, node: process.versions.node });
  const stopHousekeeping = startHousekeeping({ ...services, ...extras, database, log });

  return async () => {
    lifeCycle.stage = 'draining';
    await pause(shutdownDelayMs);
    const count = await drain(server, sockets);
    if (count > 0) {
      log('warn', 'connections cut off', { count });
    }
    await stopHousekeeping();
    await database.close();
  };
}
