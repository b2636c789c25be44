/**
 * The log on standard output. If its reader is stuck or gone, the server still works and shuts down
 * cleanly.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createFolder, startServer } from '../support/programs.ts';

const TIMEOUT = { timeout: 60_000 };
/** About 1 MB of lines, many times the size of a pipe. */
const REQUESTS = 5_000;
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n';

/** Sends many requests on one connection. @returns The number of responses. */
async function greet(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${GET}\r\n`.repeat(REQUESTS - 1));
  socket.write(`${GET}Connection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1').match(/HTTP\/1\.1 200 OK/g)?.length ?? 0;
}

/** A real pipe, because Node.js uses sockets for children. Its reader reads one line, then sleeps. */
const INTO_A_PIPE = [
  'bash', '-c', 'exec "$@" > >(grep --line-buffered --max-count 1 listening; exec sleep 20 > /dev/null 2>&1)',
  'bash',
];

for (const [title, workers, launcher] of [
  ['into a socket', '1', []],
  ['into a socket, from two workers', '2', []],
  ['into a pipe', '1', INTO_A_PIPE],
  ['into a pipe, from two workers', '2', INTO_A_PIPE],
] as const) {
  test(`a log ${title} that nobody reads stops neither service nor shutdown`, TIMEOUT, async (t) => {
    const environment = { DATABASE_URL: `sqlite:${createFolder(t)}/service.sqlite`, WORKERS: workers };
    const server = await startServer(t, environment, { launcher });
    server.process.stdout?.pause();
    assert.equal(await greet(server.port), REQUESTS);
    assert.equal(await server.stop('SIGTERM'), 0);
  });
}

test('a log whose reader is gone stops neither service nor shutdown', TIMEOUT, async (t) => {
  const server = await startServer(t, { DATABASE_URL: 'sqlite::memory:' });
  server.process.stdout?.destroy();
  assert.equal(await greet(server.port), REQUESTS);
  assert.equal(await server.stop('SIGTERM'), 0);
});

test('LOG_FORMAT=pretty writes readable lines, with colours only at a terminal', TIMEOUT, async (t) => {
  const program = new URL('../../dist/server.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [program], {
    env: { PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_FORMAT: 'pretty' },
  });
  t.after(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('listening')) {
      break;
    }
  }
  assert.match(
    lines.at(-1) ?? '',
    /^[\d:]{8} INFO  listening url=(http:\/\/127\.0\.0\.1:\d+) pages=\1\/static\/ node=[\d.]+$/,
  );
});

test('each line of several workers names its worker, and the shutdown loses no line', TIMEOUT, async (t) => {
  const environment = { DATABASE_URL: `sqlite:${createFolder(t)}/service.sqlite`, WORKERS: '2' };
  const server = await startServer(t, environment);
  assert.equal(await greet(server.port), REQUESTS);
  const closed = once(server.process, 'close');
  assert.equal(await server.stop('SIGTERM'), 0);
  await closed;
  const lines = server.logLines.map((line) => JSON.parse(line));
  const ended = lines.filter(({ message }) => message === 'ended');
  assert.deepEqual(ended.map(({ worker }) => worker).sort(), [1, 2]);
  const requests = lines.filter(({ message }) => message === 'request');
  assert.equal(requests.length, REQUESTS);
  assert.ok(requests.every(({ worker }) => worker === 1 || worker === 2));
});
