import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { trackSockets } from '../../src/http/listener.ts';
import { drain } from '../../src/programs/shutdown.ts';
import { each } from '../support/each.ts';
import { call } from '../support/http-client.ts';
import { findFreePort, listen } from '../support/listen.ts';
import { get, MIB, startListener } from '../support/listener.ts';
import { openSocket } from '../support/raw-http.ts';
import { createInstallation, launchServer } from '../support/programs.ts';
import { accepts } from '../support/proxies.ts';
import { until } from '../support/until.ts';

const ADA = JSON.stringify({ username: 'ada', password: 'pw', email: 'ada@example.org' });
const HEAD =
  'POST /api/v1/users HTTP/1.1\r\nHost: x\r\n' +
  `Content-Type: application/json\r\nContent-Length: ${ADA.length}\r\n\r\n`;
const GET = get('/');

async function open(t: TestContext, port: number, bytes: string) {
  const socket = await openSocket(t, port, bytes);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { socket, text: () => Buffer.concat(chunks).toString('latin1') };
}

test('during SHUTDOWN_DELAY_MS requests are served, connections close, and /readyz is 503', async (t) => {
  const server = await createInstallation(t, { SHUTDOWN_DELAY_MS: '1500' }).start();
  const idle = await open(t, server.port, GET);
  await once(idle.socket, 'data');
  const ended = server.stop('SIGTERM');
  await server.untilLogged('ending');
  const readiness = await call(server.port, 'GET /readyz');
  assert.deepEqual([readiness.status, readiness.json['failed_checks']], [503, ['draining']]);
  assert.equal((await call(server.port, 'GET /')).status, 200);
  idle.socket.write(GET);
  await once(idle.socket, 'end');
  assert.equal(idle.text().match(/HTTP\/1\.1 200/g)?.length, 2);
  assert.match(idle.text(), /keep-alive[^]*Connection: close/);
  assert.equal(await ended, 0);
});

test('a request in flight completes while new connections are refused', async (t) => {
  const server = await createInstallation(t).start();
  const inFlight = await open(t, server.port, HEAD + ADA.slice(0, 10));
  const ended = server.stop('SIGTERM');
  await until(async () => !(await accepts(server.port)), 20);
  inFlight.socket.write(ADA.slice(10));
  assert.equal(await ended, 0);
  assert.match(inFlight.text(), /^HTTP\/1\.1 201 [^]*Connection: close/);
});

test('a second signal stops the server at once, with code 1', async (t) => {
  const server = await createInstallation(t, { SHUTDOWN_DELAY_MS: '3600000' }).start();
  void server.stop('SIGINT');
  await server.untilLogged('ending');
  assert.equal(await server.stop('SIGINT'), 1);
});

test('an incomplete request is cut off at the timeout of the shutdown, and counted', async (t) => {
  const server = createHttpServer();
  const sockets = trackSockets(server, Infinity, { isTrustedProxy: undefined, log: () => {} });
  const { socket } = await open(t, await listen(t, server), HEAD);
  const closed = once(socket, 'close');
  await once(server, 'request');
  assert.equal(await drain(server, sockets, 700), 1);
  await closed;
});

each('a {0} that a slow client still reads at the shutdown is sent to its end', [
  'text', 'file',
], async (kind, t) => {
  const { server, sockets, port, answered } = await startListener(t);
  const { socket, text } = await open(t, port, get(`/${kind}/16`));
  socket.pause();
  const closed = once(socket, 'close'); // the last bytes can arrive after the server has ended
  await until(() => answered.length === 1);
  const drained = drain(server, sockets);
  await pause(700); // idle connections are closed after 500 ms
  socket.resume();
  assert.equal(await drained, 0);
  await closed;
  assert.equal(text().split('\r\n\r\n')[1]?.length, 16 * MIB);
});

test('idle and silent connections do not delay the shutdown, which ends the write-ahead log', async (t) => {
  const { path, start } = createInstallation(t);
  const server = await start();
  assert.ok(existsSync(`${path}-wal`));
  const idle = await open(t, server.port, GET);
  await once(idle.socket, 'data');
  await open(t, server.port, '');
  assert.equal(await server.stop('SIGTERM'), 0);
  assert.ok(!existsSync(`${path}-wal`));
});

test('during the start, requests for the database wait, and a signal ends it with code 0', async (t) => {
  const silent = createServer();
  const [port, databasePort] = [await findFreePort(), await listen(t, silent)];
  const server = launchServer(t, { PORT: String(port), DATABASE_URL: `rqlite://127.0.0.1:${databasePort}` });
  const [socket] = await once(silent, 'connection'); // from here, the server waits for a database response
  t.after(() => socket.destroy());
  const withPassword = 'GET /api/v1/user HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\n\r\n';
  const waiting = await open(t, port, withPassword);
  assert.equal((await call(port, 'GET /livez')).status, 200);
  assert.equal((await call(port, 'GET /')).status, 200);
  assert.deepEqual((await call(port, 'GET /readyz')).json['failed_checks'], ['starting']);
  assert.equal(await server.stop('SIGTERM'), 0);
  assert.equal(waiting.text(), '');
});
