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
import { startServer } from '../support/programs.ts';

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

for (const [title, launcher] of [['into a socket', []], ['into a pipe', INTO_A_PIPE]] as const) {
  test(`a log ${title} that nobody reads stops neither service nor shutdown`, async (t) => {
    const server = await startServer(t, { DATABASE_URL: 'sqlite::memory:' }, { launcher });
    server.process.stdout?.pause();
    assert.equal(await greet(server.port), REQUESTS);
    assert.equal(await server.stop('SIGTERM'), 0);
  });
}

test('a log whose reader is gone stops neither service nor shutdown', async (t) => {
  const server = await startServer(t, { DATABASE_URL: 'sqlite::memory:' });
  server.process.stdout?.destroy();
  assert.equal(await greet(server.port), REQUESTS);
  assert.equal(await server.stop('SIGTERM'), 0);
});

test('LOG_FORMAT=pretty writes readable lines, with colours only at a terminal', async (t) => {
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

test('the shutdown loses no line of a log that is read', async (t) => {
  const server = await startServer(t, { DATABASE_URL: 'sqlite::memory:' });
  assert.equal(await greet(server.port), REQUESTS);
  const closed = once(server.process, 'close');
  assert.equal(await server.stop('SIGTERM'), 0);
  await closed;
  const messages = server.logLines.map((line) => JSON.parse(line).message);
  assert.equal(messages.filter((message) => message === 'request').length, REQUESTS);
  assert.equal(messages.at(-1), 'ended');
});
