/**
 * Watches a server while the audit calls every route. The module `async_hooks` reports connections,
 * datagrams, name look-ups, new programs and new threads. A flag of V8 forbids `eval`. The permission model
 * refuses access to files and programs, as in `npm run start:locked`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readUrl } from '../listening.ts';
import { projectFolder } from '../runtime.js';
import { prepareLockedArguments } from '../start-locked.js';

const REPORT = 'audit of the process: ';

/** The forbidden types of resources in `async_hooks`, each with a message. */
const WATCHED = {
  TCPCONNECTWRAP: 'it connects to something',
  PIPECONNECTWRAP: 'it connects to a local socket',
  UDPWRAP: 'it opens a socket for datagrams',
  GETADDRINFOREQWRAP: 'it looks up a name',
  GETNAMEINFOREQWRAP: 'it looks up an address',
  QUERYWRAP: 'it asks a name server',
  PROCESSWRAP: 'it starts a program',
  WORKER: 'it starts a thread',
};

/** This text is a module. Node.js loads this module, and then loads the server. */
const WATCH = `
  import { createHook } from 'node:async_hooks';
  import { writeSync } from 'node:fs';
  const seen = {};
  const watched = ${JSON.stringify(WATCHED)};
  createHook({
    init(id, type) {
      if (Object.hasOwn(watched, type)) seen[watched[type]] = (seen[watched[type]] ?? 0) + 1;
    },
  }).enable();
  process.on('exit', () => writeSync(2, '\\n${REPORT}' + JSON.stringify(seen) + '\\n'));`;

const WATCHING = [
  '--import', `data:text/javascript,${encodeURIComponent(WATCH)}`, '--disallow-code-generation-from-strings',
];

/** The audit runs this program to test whether `WATCH` works in this version of Node.js. */
const CONTROL = `
  const { connect } = require('node:net');
  connect({ host: '127.0.0.1', port: 9 }).on('error', () => {});
  connect({ path: '/nowhere' }).on('error', () => {});
  const socket = require('node:dgram').createSocket('udp4');
  socket.send('x', 9, '127.0.0.1', () => socket.close());
  require('node:dns').lookup('localhost', () => {});
  new (require('node:worker_threads').Worker)('', { eval: true });
  require('node:child_process').spawn(process.execPath, ['--version']).on('error', () => {});
  try { new Function('return 1'); process.exitCode = 1; } catch {}`;

/** Messages that `CONTROL` does not cause, because `CONTROL` looks up no address and asks no name server. */
const UNSEEN = [WATCHED.QUERYWRAP, WATCHED.GETNAMEINFOREQWRAP];

const TIMEOUT_MS = 60_000;

/** `CONTROL` breaks the rules on purpose. @returns A message for each broken rule that `WATCH` missed. */
export function findBlindness(): string[] {
  const options = { encoding: 'utf8', timeout: TIMEOUT_MS } as const;
  const { status, stderr } = spawnSync(process.execPath, [...WATCHING, '-e', CONTROL], options);
  const seen = toSeen(stderr);
  const missed = Object.values(WATCHED).filter((event) => !UNSEEN.includes(event) && !(event in seen));
  return [
    ...missed.map((event) => `the watch does not see: ${event}`),
    ...(status === 0 ? [] : ['code from text is not refused']),
  ];
}

/**
 * @param program - The arguments of Node.js, such as `dist/server.js`.
 * @param folder - An empty folder.
 * @returns The faults, and the called routes, such as `GET /api/v1/users`.
 */
export async function walk(
  program: readonly string[], folder: string,
): Promise<{ faults: string[]; routes: Set<string> }> {
  const [data, elsewhere] = [join(folder, 'data'), join(folder, 'elsewhere')];
  mkdirSync(elsewhere);
  const env = {
    PORT: '0',
    METRICS: 'on',
    DATABASE_URL: `sqlite:${join(data, 'service.sqlite')}`,
    TMPDIR: elsewhere,
    HOME: elsewhere,
  };
  const programArguments = [...WATCHING, ...(await prepareLockedArguments(env)), ...program];
  const server = spawn(process.execPath, programArguments, {
    cwd: elsewhere, env, stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = text(server.stderr);
  const url = await readUrl(server.stdout).catch(() => undefined);
  const surprise = url === undefined ? 'the server does not start' : await smoke(url);
  const routes = surprise === undefined && url !== undefined ? await readCalledRoutes(url) : [];
  server.kill('SIGTERM');
  const strangers = readdirSync(data).filter((name) => !/^service\.sqlite(-wal|-shm)?$/.test(name));
  return {
    routes: new Set(routes),
    faults: [
      ...(surprise === undefined ? [] : [`a route does not answer as expected: ${surprise}`]),
      ...Object.entries(toSeen(await errors)).map(([event, count]) => `${event}, ${count} times`),
      ...readdirSync(elsewhere).map((name) => `${name} was written`),
      ...strangers.map((name) => `${name} was written next to the database`),
    ],
  };
}

/** @returns The line about the first unexpected response, if any. */
async function smoke(url: string): Promise<string | undefined> {
  const child = spawn('bash', [join(projectFolder, 'scripts', 'smoke.sh'), url], {
    stdio: ['ignore', 'pipe', 'inherit'], timeout: TIMEOUT_MS,
  });
  child.on('error', () => {}); // if bash is missing, `status` is not 0
  const closed = new Promise((resolve) => child.on('close', resolve));
  const lines = (await text(child.stdout)).trim().split('\n');
  const status = await closed;
  return status === 0 ? undefined : (lines.find((line) => !line.startsWith('ok ')) ?? `exit code ${status}`);
}

async function readCalledRoutes(url: string): Promise<string[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const series = metrics.matchAll(/_count\{http_request_method="([A-Z]+)",http_route="([^"]+)"/g);
  return Array.from(series, ([, method, route]) => `${method} ${route}`);
}

function toSeen(errors: string): Readonly<Record<string, number>> {
  const line = errors.split('\n').find((candidate) => candidate.startsWith(REPORT));
  return line === undefined ? { 'no report of the watch': 1 } : JSON.parse(line.slice(REPORT.length));
}
