/** The test decides when the server responds to each request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { LISTENER_LIMITS } from '../../src/http/listener.ts';
import { starting } from '../support/each.ts';
import { blockFor, CLOSE, FIELDS, get, startListener } from '../support/listener.ts';
import { exchangeRaw, openSocket } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const serving = starting(startListener);

function parts(text: string): string[] {
  const [, ...answers] = text.split('HTTP/1.1 ');
  return answers.map((answer) => `${answer.slice(0, 3)} ${answer.split('\r\n\r\n')[1] ?? ''}`);
}

/** Sends each request on a connection of its own. All requests arrive in one iteration of the event loop. */
async function sendTogether(t: TestContext, port: number, targets: readonly string[]): Promise<void> {
  const sockets = await Promise.all(targets.map(() => openSocket(t, port)));
  // when this response arrives, the server has accepted all connections
  await exchangeRaw(port, get('/last', CLOSE));
  sockets.forEach((socket, index) => socket.resume().write(get(targets[index] ?? '')));
  blockFor(50); // during this time, the kernel receives all requests
}

/** During these twenty requests, a faulty server would handle a request that must still wait. */
async function serveOthers(port: number): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await exchangeRaw(port, get('/other', CLOSE));
  }
}

serving.each('{1}', [
  [true, 'A request begins after the response to the previous request of its connection'],
  [false, 'A client that closes its side after its requests gets all responses'],
], async ({ port, begun, release }, [keepsSending]) => {
  const last = get('/c', keepsSending ? CLOSE : FIELDS);
  const answer = exchangeRaw(port, get('/wait') + get('/b') + last, { keepsSending });
  await until(() => begun.length > 0);
  await exchangeRaw(port, get('/other', CLOSE));
  assert.deepEqual(begun, ['/wait', '/other']);
  release();
  assert.deepEqual(parts(await answer), ['200 </wait>', '200 </b>', '200 </c>']);
});

serving.each('While {0} waits for its response, not everything behind it is read', [
  ['the first request', get('/wait'), 1],
  ['the hundredth request', get('/a').repeat(99) + get('/wait'), 100],
  ['a request with Connection: close', get('/wait', CLOSE), 1],
], async ({ port, server, answered, begun }, [, first, sent], t) => {
  let received = 0;
  server.on('request', () => { received += 1; });
  const socket = await openSocket(t, port, first);
  socket.resume();
  await until(() => answered.length === sent - 1 && begun.at(-1) === '/wait');
  for (let packet = 0; packet < 400; packet += 1) {
    // The packets are small, because Node.js parses a whole packet before the connection pauses.
    socket.write(get('/x').repeat(20));
    await setImmediate();
  }
  await exchangeRaw(port, get('/other', CLOSE));
  // In one step, the server reads at most 64 KiB, which is about 2,340 of these requests.
  assert.ok(received < 4_000, `${received} of 8000 requests were read`);
});

serving('Other connections are served between two requests of one connection', async ({ port, begun }, t) => {
  const socket = await openSocket(t, port, get('/a').repeat(100));
  socket.resume();
  await until(() => begun.length > 0);
  await exchangeRaw(port, get('/other', CLOSE));
  assert.ok(begun.indexOf('/other') < 90, `after ${begun.indexOf('/other')} of 100`);
});

serving('Of 40 simultaneous requests, 2 to 16 begin in one event loop iteration', async (world, t) => {
  const { port, begun } = world;
  await sendTogether(t, port, Array(40).fill('/a'));
  let most = 0;
  for (let before = begun.length; begun.length < 41; before = begun.length) {
    await setImmediate();
    most = Math.max(most, begun.length - before);
  }
  assert.ok(most >= 2 && most <= 16, `${most} began`);
});

serving('The time of a request includes its wait for others that arrived with it', async (world, t) => {
  const { port, waitsMs } = world;
  await sendTogether(t, port, Array(10).fill('/slow'));
  await until(() => waitsMs.length === 11);
  // the last request waits for nine requests of 2 ms each
  assert.ok(Math.max(...waitsMs) >= 18, `${Math.max(...waitsMs)} ms`);
});

serving('A request does not begin while the previous response is unread', async ({ port, begun }, t) => {
  const socket = await openSocket(t, port, get('/text/16') + get('/b'));
  socket.pause();
  await until(() => begun.length > 0);
  await serveOthers(port);
  assert.ok(!begun.includes('/b'));
  socket.resume();
  await until(() => begun.includes('/b'));
});

serving.each('Of {0} requests in one packet, {1} are answered, in order', [
  [99, 99], [100, 100], [101, 100], [5_000, 100],
], async ({ port, begun }, [sent, answered]) => {
  const targets = Array.from({ length: sent }, (_, index) => `/${index}`);
  const bytes = targets.map((target) => get(target)).join('');
  const answer = await exchangeRaw(port, bytes, { keepsSending: false });
  assert.deepEqual(parts(answer), targets.slice(0, answered).map((target) => `200 <${target}>`));
  const closing = [...answer.matchAll(/^Connection: (.*)\r$/gm)].map(([, option]) => option === 'close');
  assert.deepEqual(closing, targets.slice(0, answered).map((_, index) => index === 99));
  assert.equal(begun.length, answered);
});

serving('Requests behind the hundredth, which closes the connection, do not wait', async (world, t) => {
  const { server, port, begun } = world;
  const responses: ServerResponse[] = [];
  server.on('request', (_, response) => responses.push(response));
  const socket = await openSocket(t, port, get('/wait') + get('/a').repeat(149));
  socket.resume();
  await until(() => begun.length > 0);
  // A waiting request listens for the end of the previous response. The first response has a second listener,
  // the pipeline. The hundredth response has no listener, because no request waits for this response.
  const waiting = responses.map((response) => response.listenerCount('close'));
  assert.deepEqual(waiting, [2, ...Array(98).fill(1), ...Array(51).fill(0)]);
});

serving('A connection is kept for 65 seconds, however many requests it carries', async ({ port }, t) => {
  const socket = await openSocket(t, port);
  let text = '';
  socket.on('data', (chunk: Buffer) => { text += chunk.toString(); });
  for (let round = 1; round <= 5; round += 1) {
    socket.write(get('/a').repeat(99));
    await until(() => parts(text).length === round * 99);
  }
  assert.doesNotMatch(text, /Connection: close/);
  assert.match(text, /\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n/);
}, { limits: LISTENER_LIMITS });

function post(path: string, fields: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\n${fields}\r\n${FIELDS}${body}`;
}

const A = get('/a');
const B = get('/b');
const C_LAST = get('/c', CLOSE);
const CHUNKED = 'Transfer-Encoding: chunked';
const EXPECTING = 'Expect: 100-continue\r\nContent-Length: 1';
const UPGRADE = `Upgrade: websocket\r\n${FIELDS}`;
const CONNECT = `CONNECT x:80 HTTP/1.1\r\n${FIELDS}`;
const UPGRADING_B = get('/b', `Connection: x, upgrade\r\n${UPGRADE}`);

serving.each('Pipelined requests with {0} get {2}; the last response closes', [
  ['a body', post('/a', 'Content-Length: 3', 'abc') + C_LAST, ['200 </a>', '200 </c>']],
  ['a chunked body', A + post('/b', CHUNKED, '0\r\n\r\n') + C_LAST, ['200 </a>', '200 </b>', '200 </c>']],
  ['HEAD', `HEAD /b HTTP/1.1\r\n${FIELDS}${C_LAST}`, ['200 ', '200 </c>']],
  ['100-continue', A + post('/b', EXPECTING, 'a') + C_LAST, ['200 </a>', '100 ', '200 </b>', '200 </c>']],
  ['Connection: close', A + get('/b', CLOSE) + get('/c'), ['200 </a>', '200 </b>']],
  ['an upgrade', A + UPGRADING_B + get('/c'), ['200 </a>', '200 </b>']],
  ['Connection: upgrade alone', get('/b', `Connection: upgrade\r\n${FIELDS}`) + C_LAST,
    ['200 </b>', '200 </c>']],
  ['Upgrade, but not for the connection', get('/b', UPGRADE) + C_LAST, ['200 </b>', '200 </c>']],
  ['HTTP/1.0', `GET /a HTTP/1.0\r\n\r\n${get('/b')}`, ['200 </a>']],

  // The server refuses bytes that are not HTTP, but only after the responses to earlier requests.
  ['nonsense', 'NONSENSE\r\n\r\n', ['400 <refused 400>']],
  ['nonsense behind them', `${A}${B}NONSENSE\r\n\r\n`, ['200 </a>', '200 </b>', '400 <refused 400>']],
  ['a malformed body', post('/b', CHUNKED, 'zz\r\n'), ['400 <refused 400>']],
  ['CONNECT', A + CONNECT + B, ['200 </a>', '400 <refused 400>']],
  ['CONNECT alone', CONNECT, ['400 <refused 400>']],
  ['a malformed body that waits', A + post('/b', CHUNKED, 'zz\r\n'), ['200 </a>', '400 <refused 400>']],
], async ({ port, connections }, [, bytes, expected]) => {
  const answer = await exchangeRaw(port, bytes);
  assert.deepEqual(parts(answer), expected);
  assert.match(answer, /\r\nConnection: close\r\n(?![^]*HTTP\/1\.1)/);
  await until(async () => await connections() === 0);
});

serving.each('A client that sends CONNECT {0} and then resets the connection does not end the process', [
  ['alone', ''],
  ['behind a request', get('/wait')],
], async ({ port, begun, release, connections }, [, before], t) => {
  const socket = await openSocket(t, port, before + CONNECT);
  if (before === '') {
    await once(socket, 'readable'); // the refusal
  } else {
    await until(() => begun.length > 0);
  }
  socket.resetAndDestroy();
  await until(async () => await connections() === 0); // an unhandled error would fail this test
  release();
  await serveOthers(port);
});

serving('A connection of CONNECT that the client leaves open is closed', async (world, t) => {
  const { server, port, connections } = world;
  server.timeout = 50;
  await openSocket(t, port, CONNECT); // the client does not even read the refusal
  await until(async () => await connections() === 1);
  await until(async () => await connections() === 0);
});

serving('A request does not begin when its connection is destroyed in the same iteration', async (world) => {
  const { server, port, begun } = world;
  server.on('request', ({ url, socket }: IncomingMessage) => void (url === '/gone' && socket.destroy()));
  await exchangeRaw(port, get('/gone'));
  await exchangeRaw(port, get('/next', CLOSE));
  assert.deepEqual(begun, ['/next']);
});

serving('A body may arrive later than the packet that began it', async ({ port, begun, release }, t) => {
  const halfBody = `POST /b HTTP/1.1\r\nContent-Length: 6\r\n${CLOSE}abc`;
  const socket = await openSocket(t, port, get('/wait') + halfBody);
  const answer = text(socket);
  await until(() => begun.length > 0);
  release();
  socket.write('def');
  assert.deepEqual(parts(await answer), ['200 </wait>', '200 </b>']);
});

test('During shutdown, waiting requests are answered, the last with Connection: close', async (t) => {
  const lifeCycle = { stage: 'serving' };
  const { port, begun, release } = await startListener(t, { lifeCycle });
  const answer = exchangeRaw(port, get('/wait') + get('/b'));
  await until(() => begun.length > 0);
  lifeCycle.stage = 'draining';
  release();
  const text = await answer;
  assert.deepEqual(parts(text), ['200 </wait>', '200 </b>']);
  assert.deepEqual(text.match(/^Connection: .*$/gm), ['Connection: keep-alive', 'Connection: close']);
});

serving('Waiting requests do not begin after their client has disconnected', async (world, t) => {
  const { port, begun, answered, release } = world;
  const socket = await openSocket(t, port, get('/wait') + get('/b'));
  await until(() => begun.length > 0);
  socket.resetAndDestroy();
  release();
  await until(() => answered.length > 0);
  await serveOthers(port);
  assert.ok(!begun.includes('/b'));
});

serving('Waiting requests of 160 closed connections do not delay other requests', async (world, t) => {
  const { port, begun, sockets } = world;
  for (let count = 1; count <= 160; count += 1) {
    await openSocket(t, port, get('/wait') + get('/b'));
  }
  await until(() => begun.length === 160);
  const closing = [...sockets];
  const other = await openSocket(t, port);
  await exchangeRaw(port, get('/last', CLOSE)); // once `/last` is answered, the server has accepted `other`
  await setImmediate(); // next, Node.js reports closed connections, and only then reads data
  closing.forEach((socket) => socket.destroy());
  other.write(get('/other'));
  blockFor(50); // during this time, the kernel receives `/other`
  let turns = 0;
  for (; !begun.includes('/other'); turns += 1) {
    await setImmediate();
  }
  // At most 16 requests begin in one iteration of the event loop. If all 160 waiting requests began, they
  // would take ten iterations.
  assert.ok(turns < 8, `${turns} turns`);
});
