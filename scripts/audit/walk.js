/**
 * Watches a server while every route is walked through. The hooks of Node.js for asynchronous work see each attempt to
 * connect, to look up a name, to send a datagram, and to start a program or a thread, whatever API asks for it; code from
 * text is refused by V8; files and programs are refused by the permission model, as in `npm run start:locked`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectFolder } from '../runtime.js';
import { prepareLockedArguments } from '../start-locked.js';

const REPORT = 'audit of the process: ';

/** What the hooks call it, and what it means. */
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

/** Loaded before the server, from an address that needs no file. */
const WATCH = `
  import { createHook } from 'node:async_hooks';
  import { writeSync } from 'node:fs';
  const seen = {};
  const watched = ${JSON.stringify(WATCHED)};
  createHook({ init(id, type) { if (Object.hasOwn(watched, type)) seen[watched[type]] = (seen[watched[type]] ?? 0) + 1; } }).enable();
  process.on('exit', () => writeSync(2, '\\n${REPORT}' + JSON.stringify(seen) + '\\n'));`;

const WATCHING = ['--import', `data:text/javascript,${encodeURIComponent(WATCH)}`, '--disallow-code-generation-from-strings'];

/** Does what the watch must see, so that a Node.js which it is blind in is noticed. */
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
const CONTROL_SEEN = [
  WATCHED.TCPCONNECTWRAP, WATCHED.PIPECONNECTWRAP, WATCHED.UDPWRAP, WATCHED.GETADDRINFOREQWRAP, WATCHED.PROCESSWRAP, WATCHED.WORKER,
];

const TIMEOUT_MS = 60_000;

/** @returns {string[]} What the watch does not see although it happens. */
export function findBlindness() {
  const { status, stderr } = spawnSync(process.execPath, [...WATCHING, '-e', CONTROL], { encoding: 'utf8', timeout: TIMEOUT_MS });
  const seen = toSeen(stderr);
  return [
    ...CONTROL_SEEN.filter((what) => !(what in seen)).map((what) => `the watch does not see: ${what}`),
    ...(status === 0 ? [] : ['code from text is not refused']),
  ];
}

/**
 * @param {readonly string[]} program - What Node.js is to run: `dist/server.js`.
 * @param {string} folder - An empty one, for the data and for everything that must stay empty.
 * @returns {Promise<{ faults: string[], routes: Set<string> }>} What is wrong, and the routes that the server says were called.
 */
export async function walk(program, folder) {
  const [data, elsewhere] = [join(folder, 'data'), join(folder, 'elsewhere')];
  mkdirSync(elsewhere);
  const environment = { PORT: '0', METRICS: 'on', DATABASE_URL: `sqlite:${join(data, 'service.sqlite')}`, TMPDIR: elsewhere, HOME: elsewhere };
  const server = spawn(process.execPath, [...WATCHING, ...(await prepareLockedArguments(environment)), ...program], {
    cwd: elsewhere, env: environment, stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = readAll(server.stderr);
  const url = await readUrl(server.stdout);
  const { status, stdout } = url === undefined ? { status: 1, stdout: 'the server does not start' } : await smoke(url);
  const routes = status === 0 ? await readCalledRoutes(url) : [];
  server.kill('SIGTERM');
  const seen = toSeen(await errors);
  return {
    routes: new Set(routes),
    faults: [
      ...(status === 0 ? [] : [`a route does not answer as expected: ${stdout.trim().split('\n').find((line) => !line.startsWith('ok ')) ?? status}`]),
      ...Object.entries(seen).map(([what, count]) => `${what}, ${count} times`),
      ...readdirSync(elsewhere).map((name) => `${name} was written`),
      ...readdirSync(data).filter((name) => !/^service\.sqlite(-wal|-shm)?$/.test(name)).map((name) => `${name} was written beside the database`),
    ],
  };
}

/** @param {string} url */
async function smoke(url) {
  const child = spawn('bash', [join(projectFolder, 'scripts', 'smoke.sh'), url], { stdio: ['ignore', 'pipe', 'inherit'], timeout: TIMEOUT_MS });
  child.on('error', () => {}); // without bash there is no walk, and the status says so
  const [stdout, status] = await Promise.all([readAll(child.stdout), new Promise((resolve) => child.on('close', resolve))]);
  return { status, stdout };
}

/** @param {string | undefined} url @returns {Promise<string[]>} Such as `GET /api/v1/users`, from the metrics. */
async function readCalledRoutes(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const series = text.matchAll(/_count\{http_request_method="([A-Z]+)",http_route="([^"]+)"/g);
  return Array.from(series, ([, method, route]) => `${method} ${route}`);
}

/** @param {string} errors @returns {Readonly<Record<string, number>>} */
function toSeen(errors) {
  const line = errors.split('\n').find((candidate) => candidate.startsWith(REPORT));
  return line === undefined ? { 'no report of the watch': 1 } : JSON.parse(line.slice(REPORT.length));
}

/** @param {import('node:stream').Readable} output @returns {Promise<string | undefined>} `undefined` when it ends before it listens. */
async function readUrl(output) {
  const lines = createInterface({ input: output });
  return new Promise((resolve) => {
    lines.on('close', () => resolve(undefined));
    lines.on('line', (line) => {
      const { message, url } = line.startsWith('{') ? JSON.parse(line) : {};
      if (message === 'listening') {
        resolve(url);
      }
    });
  });
}

/** @param {AsyncIterable<Buffer>} stream */
async function readAll(stream) {
  const chunks = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
