/** `node dist/server.js healthcheck`, for images without curl. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { listen } from '../support/listen.ts';
import { run, startServer } from '../support/programs.ts';

function runHealthcheck(environment: Readonly<Record<string, string>>) {
  return run('server.js', ['healthcheck'], { environment });
}

for (const [listening, asked] of [
  ['127.0.0.1', '0.0.0.0'], ['127.0.0.1', 'localhost'], ['::', '::'], ['0.0.0.0', '127.0.0.1'],
] as const) {
  test(`with HOST=${asked} it exits silently with 0 if a server on ${listening} is ready`, async (t) => {
    const { port } = await startServer(t, { HOST: listening, DATABASE_URL: 'sqlite::memory:' });
    const outcome = await runHealthcheck({ HOST: asked, PORT: String(port) });
    assert.deepEqual(outcome, { code: 0, stdout: '', stderr: '' });
  });
}

test('if nothing listens it exits with 1 and one line', async (t) => {
  const server = await startServer(t, { DATABASE_URL: 'sqlite::memory:' });
  await server.stop('SIGTERM');
  const { code, stdout, stderr } = await runHealthcheck({ PORT: String(server.port) });
  const reason = `Cannot ask 127.0.0.1:${server.port} for readiness: connection refused\n`;
  assert.deepEqual([code, stdout, stderr], [1, '', reason]);
});

for (const [title, status, body, expected] of [
  [
    'a server that is not ready', 503, JSON.stringify({ failed_checks: ['database', 'draining'] }),
    'Not ready: 503 database, draining\n',
  ],
  ['another server', 404, '<html>', 'Not ready: 404\n'],
  [
    'check names that would forge a line', 503,
    JSON.stringify({ failed_checks: ['a\nb', '\x1b[2J', 7, null, 'cluster'] }), 'Not ready: 503 cluster\n',
  ],
  ['checks that are not a list', 503, JSON.stringify({ failed_checks: 'database' }), 'Not ready: 503\n'],
  ['the body null', 503, 'null', 'Not ready: 503\n'],
] as const) {
  test(`with ${title} it exits with 1 and one line`, async (t) => {
    const port = await startStub(t, status, body);
    const { code, stderr } = await runHealthcheck({ PORT: String(port) });
    assert.deepEqual([code, stderr], [1, expected]);
  });
}

for (const [title, environment, expected] of [
  ['PORT=0', { PORT: '0' }, /^Cannot ask for readiness: with PORT=0 the port is not known\n$/],
  ['wrong settings', { PORT: 'x', LOG_LEVEL: 'loud' }, /^Cannot read PORT .*; Cannot read LOG_LEVEL .*\n$/],
] as const) {
  test(`with ${title} it exits with 1 and the reason`, async () => {
    const { code, stderr } = await runHealthcheck(environment);
    assert.equal(code, 1);
    assert.match(stderr, expected);
  });
}

/** Another server on a port. */
async function startStub(t: TestContext, status: number, body: string): Promise<number> {
  return listen(t, createServer((_incoming, outgoing) => outgoing.writeHead(status).end(body)));
}
