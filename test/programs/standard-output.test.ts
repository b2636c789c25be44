import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { each } from '../support/each.ts';
import {
  atTerminal, createInstallation, run, skipWithoutTerminal, type RunningServer,
} from '../support/programs.ts';

/** The log lines of 5,000 requests take about 1 MB, many times the size of a pipe's buffer. */
const REQUESTS = 5_000;
/** The log lines of 30,000 requests fill the system buffers, and also the server's queue of 4 MiB. */
const REQUESTS_BEYOND_BOUND = 30_000;
const REQUESTS_TOGETHER = 50;
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** Stops the server. @returns The parsed lines of the log. */
async function readLog(server: RunningServer) {
  const closed = once(server.process, 'close');
  assert.equal(await server.stop('SIGTERM'), 0);
  await closed;
  return server.logLines.map((line) => JSON.parse(line));
}

async function greet(port: number, count: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  for (let sent = 0; sent < count; sent += REQUESTS_TOGETHER) {
    socket.write(GET.repeat(REQUESTS_TOGETHER));
    let received = '';
    while ((received.match(/"message"/g)?.length ?? 0) < REQUESTS_TOGETHER) {
      received += String((await once(socket, 'data'))[0]);
    }
  }
  socket.destroy();
}

/**
 * `bash` creates a pipe for the log, because Node.js would create a socket. The program behind the pipe reads
 * only one line.
 */
const INTO_A_PIPE = [
  'bash', '-c', 'exec "$@" > >(grep --line-buffered --max-count 1 listening; exec sleep 20 > /dev/null 2>&1)',
  'bash',
];

each('a log {0} stops neither service nor shutdown', [
  ['into a socket that nobody reads', [], 'pause'],
  ['into a pipe that nobody reads', INTO_A_PIPE, 'pause'],
  ['whose reader is gone', [], 'destroy'],
], async ([, launcher, stop], t) => {
  const server = await createInstallation(t).start({ launcher });
  server.process.stdout?.[stop]();
  await greet(server.port, REQUESTS);
  assert.equal(await server.stop('SIGTERM'), 0);
});

test('lines beyond 4 MiB without a reader are dropped and counted, then more follow', async (t) => {
  const server = await createInstallation(t).start();
  server.process.stdout?.pause();
  await greet(server.port, REQUESTS_BEYOND_BOUND);
  server.process.stdout?.resume();
  const isReported = () => server.logLines.some((line) => line.includes('"message":"log lines dropped"'));
  let count = REQUESTS_BEYOND_BOUND;
  // when the queue has room again, the server logs the number of dropped lines
  for (; !isReported(); count += REQUESTS_TOGETHER) {
    await greet(server.port, REQUESTS_TOGETHER);
  }
  const lines = await readLog(server);
  const written = lines.filter(({ message }) => message === 'request').length;
  const dropped = lines.filter(({ message }) => message === 'log lines dropped')
    .reduce((sum, line) => sum + line.count, 0);
  assert.ok(dropped > 0);
  assert.equal(written + dropped, count);
});

test('the shutdown loses no line of a log that is read', async (t) => {
  const server = await createInstallation(t).start();
  await greet(server.port, REQUESTS);
  const messages = (await readLog(server)).map(({ message }) => message);
  assert.equal(messages.filter((message) => message === 'request').length, REQUESTS);
  assert.equal(messages.at(-1), 'ended');
});

/** This code emits a warning as soon as the server listens for warnings. */
const WARN = "process.on('newListener', (name) => name === 'warning' && process.emitWarning('wet'))";

test('lines are short at a terminal and JSON elsewhere, unless LOG_FORMAT says otherwise',
  { skip: skipWithoutTerminal }, async () => {
    const [short, json] = [/^[\d:]{8} WARN  wet warning=Warning\r?$/m, /^\{"time":"/m];
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(WARN)}`;
    for (const [LOG_FORMAT, shown, elsewhere] of [
      ['auto', short, json], ['json', json, json], ['pretty', short, short],
    ] as const) {
      // The server exits after its first log line, because it cannot create its database file.
      const environment = { PORT: '0', DATABASE_URL: 'sqlite:/dev/null/x', NODE_OPTIONS, LOG_FORMAT };
      const { stdout } = spawnSync('script', atTerminal('server.js'), { env: environment, encoding: 'utf8' });
      assert.match(stdout, shown);
      assert.match((await run('server.js', [], { environment })).stdout, elsewhere);
    }
  });
