/** The program `server.js`: reads the settings, opens the database, listens, and ends in order. */
import { readFileSync } from 'node:fs';
import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { createFailureCount } from '../auth/failure-count.ts';
import type { PasswordHasher } from '../auth/password.ts';
import { printConfig, readConfig, toTlsFiles, type Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { createSchema } from '../database/create-schema.ts';
import { openDatabase } from '../database/open.ts';
import { generateFiles } from '../generated-files.ts';
import { loadStaticFiles } from '../http/static-files.ts';
import { readTlsOptions } from '../http/tls.ts';
import { toTimestamp } from '../model/clock.ts';
import type { LifeCycle } from '../model/life-cycle.ts';
import { createPasswords, createService } from '../service.ts';
import { settings, type Setting } from '../settings.ts';
import { createAuditStore } from '../stores/audit.ts';
import { schema } from '../stores/schema.ts';
import { createTokenStore } from '../stores/tokens.ts';
import { createUserStore } from '../stores/users.ts';
import { createLineWriter } from '../telemetry/line-writer.ts';
import { createLog, describeError, toJsonLine, type Log } from '../telemetry/log.ts';
import { createPrettyFormat } from '../telemetry/pretty-line.ts';
import { createFirstAdministrator } from './administrators.ts';
import { renewCertificates } from './certificates.ts';
import { EXIT_CONFIG, EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from './exit-codes.ts';
import { checkHealth } from './healthcheck.ts';
import { startHousekeeping } from './housekeeping.ts';
import { prepareDrain, watchForEnd } from './life-cycle.ts';
import { createStandardOutput, STDOUT } from './standard-output.ts';
import { collectFromWorkers, serveWorkerMetrics } from './worker-metrics.ts';
import { forwardHangUp, superviseWorkers } from './workers.ts';

export async function main(programArguments: readonly string[]): Promise<void> {
  switch (programArguments.join(' ')) {
    case '':
      return start();
    case '--help':
      return print(helpText());
    case '--version':
      return print(`${readVersion()}\n`);
    case '--print-config':
      return print(printConfig());
    case 'healthcheck':
      return reportHealth();
    default:
      return fail(EXIT_USAGE, `Unknown arguments: ${programArguments.join(' ')}\nSee server.js --help`);
  }
}

/** Whatever the reason, those who run a health check know 0 and 1 only. */
async function reportHealth(): Promise<void> {
  const outcome = readConfig();
  const { code, reason } = outcome.kind === 'valid' ? await checkHealth(outcome.config) : { code: EXIT_FAILURE, reason: outcome.mistakes.join('; ') };
  if (code !== EXIT_OK) {
    fail(code, reason);
  }
}

async function start(): Promise<void> {
  const outcome = readConfig();
  if (outcome.kind === 'invalid') {
    return fail(EXIT_CONFIG, outcome.mistakes.join('\n'));
  }
  const log = createProcessLog(outcome.config);
  if (toTlsFiles(outcome.config) !== undefined) {
    process.on('SIGHUP', forwardHangUp); // from the start on, as it would end a process that does not expect it
  }
  if (outcome.config.workers > 1 && cluster.isPrimary) {
    serveWorkerMetrics();
    return superviseWorkers(outcome.config.workers, {
      log,
      onListening: (address) => log('info', 'listening', { url: toUrl(address, outcome.config), workers: outcome.config.workers }),
      exit: (code) => process.exit(code),
    });
  }
  const lifeCycle: LifeCycle = { isEnding: false };
  const endWith = watchForEnd(lifeCycle, { log, exit: (code) => process.exit(code) });
  try {
    endWith(await serve(outcome.config, lifeCycle, log));
  } catch (error) {
    log('error', 'cannot start', { error: describeError(error) });
    fail(EXIT_FAILURE, error instanceof Error ? error.message : String(error));
    process.exit(); // a worker would stay for its supervisor
  }
}

/** @returns How to end in order. */
async function serve(config: Config, lifeCycle: LifeCycle, log: Log): Promise<() => Promise<void>> {
  const tlsFiles = toTlsFiles(config);
  const tls = tlsFiles && readTlsOptions(tlsFiles);
  const staticFiles = await loadStaticFiles(fileURLToPath(new URL('../../static/', import.meta.url)), generateFiles(config, readVersion()));
  const database = await openDatabase(config.database);
  if (await createSchema(database, schema, toTimestamp(Date.now()))) {
    log('info', 'database created', { schema_version: schema.version });
  }
  const passwords = createPasswords(config);
  await appointAdministrator({ config, database, passwords, log });
  const failures = createFailureCount();
  const server = createService({ config, database, staticFiles, passwords, failures, log, clock: Date.now, lifeCycle, tls, gatherMetrics: collectFromWorkers });
  const drain = prepareDrain(server);
  if (tlsFiles !== undefined && server instanceof SecureServer) {
    renewCertificates(server, tlsFiles, log);
  }
  await listen(server, config);
  if (cluster.isPrimary) {
    log('info', 'listening', { url: toUrl(server.address() as AddressInfo, config), node: process.versions.node });
  }
  const endHousekeeping = startHousekeeping(
    {
      tokens: createTokenStore(database, config),
      audit: createAuditStore(database),
      failures,
      tokenRetentionSeconds: config.tokenRetentionSeconds,
      clock: Date.now,
    },
    (error) => log('error', 'housekeeping failed', { error: describeError(error) }),
  );
  return async () => {
    const cutOffCount = await drain(config);
    if (cutOffCount > 0) {
      log('warn', 'connections cut off', { count: cutOffCount });
    }
    await endHousekeeping();
    await database.close();
  };
}

async function appointAdministrator(
  { config, database, passwords, log }: { config: Config; database: Database; passwords: PasswordHasher; log: Log },
): Promise<void> {
  const { adminUsername: username, adminPassword: password, adminEmail: email } = config;
  if (username === undefined || password === undefined) {
    return;
  }
  const parts = { users: createUserStore(database), passwords, rule: config, clock: Date.now };
  if (await createFirstAdministrator({ username, password, email }, parts)) {
    log('info', 'administrator created', { username });
  }
}

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(`Cannot listen on ${host}:${port}: ${error.code ?? error.message}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

/** Warnings and defects become log lines like everything else. */
function createProcessLog({ logLevel, logFormat, noColor, workers }: Config): Log {
  const now = () => toTimestamp(Date.now());
  const format = logFormat === 'json' ? toJsonLine : createPrettyFormat(isatty(STDOUT) && noColor === undefined);
  const toLossLine = (count: number) => format({ time: now(), level: 'warn', message: 'log lines dropped', count });
  const lines = createLineWriter(createStandardOutput(workers > 1), toLossLine);
  const log = createLog(logLevel, { write: lines.write, now, format });
  process.on('exit', lines.flushNow);
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    const isAboutSqlite = name === 'ExperimentalWarning' && message.startsWith('SQLite'); // known and accepted
    log(isAboutSqlite ? 'debug' : 'warn', message, { warning: name });
  });
  process.on('uncaughtException', (error) => {
    log('error', 'uncaught exception', { error: describeError(error) });
    process.exit(EXIT_FAILURE);
  });
  return log;
}

function toUrl({ address, port }: Pick<AddressInfo, 'address' | 'port'>, config: Config): string {
  const scheme = toTlsFiles(config) === undefined ? 'http' : 'https';
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}${config.basePath ?? ''}`;
}

function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function helpText(): string {
  const lines = Object.values<Setting<unknown>>(settings).map(({ name, fallback, isSecret, description }) => {
    const twin = isSecret ? ` (or ${name}_FILE)` : '';
    return `  ${name}${twin}${fallback === '' ? '' : ` [${fallback}]`}\n      ${description}\n`;
  });
  return `Usage: node dist/server.js [--help | --version | --print-config | healthcheck]

Serves users, projects and tokens over HTTP. SIGTERM and SIGINT end it in order.
healthcheck asks the server with the same settings whether it is ready, and ends with 0 or 1.
Exit codes: 0 ended in order, 1 failed, 64 wrong arguments, 78 wrong settings or Node.js.

Settings, from the environment, with their defaults:
${lines.join('')}`;
}

function print(text: string): void {
  process.stdout.write(text);
}

function fail(exitCode: number, message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
