/** Responses that are generated while they are sent, over a real socket. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { countSlices, type Reply, type Slices } from '../../src/http/exchange.ts';
import { createListener } from '../../src/http/listener.ts';
import { defaultConfig } from '../support/config.ts';
import { openSocket, until } from '../support/open-socket.ts';
import { exchangeRaw } from '../support/raw-http.ts';

const BIG_SLICE = 'x'.repeat(1_048_576);
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const CLOSE = 'Host: x\r\nConnection: close\r\n\r\n';

/** A server that responds to every request with these slices. */
async function startServer(t: TestContext, slices: Slices): Promise<number> {
  const reply: Reply = { status: 200, headers: {}, body: slices };
  const server = createListener(defaultConfig(), {
    answer: async ({ url }) => (url === '/other' ? { ...reply, body: 'other' } : reply),
    refuse: (status) => ({ status, headers: {}, body: '' }),
    isEnding: () => false,
    onCut: () => {},
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Slices that record the number requested, and whether the reader closed the iterator early. */
function createSlices(text: string, count: number) {
  const seen = { asked: 0, isOver: false };
  async function* make() {
    try {
      while (seen.asked < count) {
        seen.asked += 1;
        yield text;
      }
    } finally {
      seen.isOver = true;
    }
  }
  return { seen, slices: { [Symbol.asyncIterator]: make } };
}

test('Slices arrive as chunks in order, and an empty slice does not end the response', async (t) => {
  const port = await startServer(t, (async function* () { yield* ['one', '', 'zwö']; })());
  const answer = await exchangeRaw(port, `GET / HTTP/1.1\r\n${CLOSE}`);
  assert.match(answer, /^Transfer-Encoding: chunked\r$/m);
  assert.ok(answer.endsWith('\r\n\r\n3\r\none\r\n4\r\nzw\u00c3\u00b6\r\n0\r\n\r\n'), answer);
});

test('Slices to an HTTP/1.0 client are not chunked and end with the connection', async (t) => {
  const port = await startServer(t, createSlices('ab', 3).slices);
  const answer = await exchangeRaw(port, 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
  assert.doesNotMatch(answer, /Transfer-Encoding/);
  assert.match(answer, /^Connection: close\r$/m);
  assert.ok(answer.endsWith('\r\n\r\nababab'), answer);
});

test('A connection stays open after slices', async (t) => {
  const port = await startServer(t, createSlices('ab', 2).slices);
  const answer = await exchangeRaw(port, `GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /other HTTP/1.1\r\n${CLOSE}`);
  assert.equal(answer.match(/HTTP\/1\.1 200/g)?.length, 2);
  assert.ok(answer.endsWith('other'), answer);
});

test('HEAD requests no slice', async (t) => {
  const { seen, slices } = createSlices('ab', 3);
  const port = await startServer(t, slices);
  const answer = await exchangeRaw(port, `HEAD / HTTP/1.1\r\n${CLOSE}`);
  assert.ok(answer.startsWith('HTTP/1.1 200') && answer.endsWith('\r\n\r\n'), answer);
  assert.equal(seen.asked, 0);
});

test('For a client that reads nothing, no slices are made once the system buffers are full', async (t) => {
  const { seen, slices } = createSlices(BIG_SLICE, 1_000);
  const port = await startServer(t, slices);
  const socket = (await openSocket(t, port, REQUEST)).pause();
  await until(() => seen.asked > 0);
  for (let last = -1; last !== seen.asked;) {
    last = seen.asked;
    await exchangeRaw(port, `GET /other HTTP/1.1\r\n${CLOSE}`);
  }
  assert.ok(seen.asked < 50, `${seen.asked} slices of 1 MiB`);
  assert.equal(seen.isOver, false);
  socket.destroy();
  await until(() => seen.isOver);
});

test('When the connection closes, no more slices are made', async (t) => {
  const { seen, slices } = createSlices('ab', Infinity);
  const port = await startServer(t, slices);
  const socket = (await openSocket(t, port, REQUEST)).pause();
  await until(() => seen.asked > 0);
  socket.destroy();
  await until(() => seen.isOver);
});

test('Other clients are served between two slices', async (t) => {
  const { seen, slices } = createSlices('ab', Infinity);
  const port = await startServer(t, slices);
  const socket = (await openSocket(t, port, REQUEST)).pause();
  socket.resume();
  await until(() => seen.asked > 0);
  assert.match(await exchangeRaw(port, `GET /other HTTP/1.1\r\n${CLOSE}`), /other$/);
  assert.equal(seen.isOver, false);
});

test('An error between two slices ends the connection without the last chunk', async (t) => {
  const port = await startServer(t, (async function* () {
    yield 'one';
    throw new Error('no second slice');
  })());
  const requests = ['/', '/other'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const answer = await exchangeRaw(port, requests.join(''));
  assert.ok(answer.endsWith('3\r\none\r\n'), answer);
});

const FAULT = new Error('fault');
for (const [title, slices, reads, expected] of [
  ['after the last slice', ['a', 'ö'], Infinity, { sizeBytes: 3 }],
  ['when the reader stops early', ['a', 'b'], 1, { sizeBytes: 1 }],
  ['after an error', ['a', FAULT], Infinity, { sizeBytes: 1, error: FAULT }],
] as const) {
  test(`The bytes of slices are reported once ${title}`, async () => {
    const ends: unknown[] = [];
    const counted = countSlices((async function* () {
      for (const slice of slices) {
        if (typeof slice !== 'string') {
          throw slice;
        }
        yield slice;
      }
    })(), (end) => ends.push(end));
    await read(counted, reads).catch((error) => assert.equal(error, FAULT));
    assert.deepEqual(ends, [expected]);
  });
}

async function read(slices: Slices, count: number): Promise<void> {
  let seen = 0;
  for await (const _ of slices) {
    seen += 1;
    if (seen === count) {
      return;
    }
  }
}
