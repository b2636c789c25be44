import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { each } from '../support/each.ts';
import { call } from '../support/http-client.ts';
import { openSocket } from '../support/raw-http.ts';
import { measureWorkMs, readOwnProcessorMs, watchAnswers } from '../support/process-use.ts';
import { startService } from '../support/service.ts';

const DRIP_EVERY_MS = 200;
/**
 * The maximum processor time before `/readyz` responds, in multiples of `measureWorkMs()`. On 2 processors
 * under a load of 8, the response takes up to 18 times `measureWorkMs()`.
 */
const WAIT_WORKS_MAX = 32;

/**
 * The responses take 40 MB. The buffers of the operating system are smaller, so the server stops reading
 * requests.
 */
const REQUESTS_AHEAD =
  `GET /static/openapi.json HTTP/1.1\r\nHost: x\r\nX-Padding: ${'x'.repeat(1_000)}\r\n\r\n`.repeat(250);

each('{1} clients with slow {0} are cut off in time and delay no other client', [
  ['header fields', 500, { headersTimeoutMs: 1_000 }, 'GET / HTTP/1.1\r\nHost: x\r\nX-', true, 408],
  ['bodies', 500, { headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 },
    'POST /api/v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 8000\r\n\r\n', true, 408],
  ['readers', 50, { responseTimeoutMs: 1_000 }, REQUESTS_AHEAD, false, 200],
], async ([, clients, limits, first, isReading, status], t) => {
  const server = await startService(t, { timeoutCheckIntervalMs: 100, ...limits });
  const slow = Array.from({ length: clients }, () => openSlowly(t, server.port, first, isReading));
  const watch = watchAnswers(
    async () => assert.equal((await call(server.port, 'GET /readyz')).status, 200), readOwnProcessorMs,
  );
  const answers = await Promise.all(slow);
  const works = await watch.stop() / measureWorkMs();
  assert.deepEqual(answers.filter((answer) => !answer.startsWith(`HTTP/1.1 ${status} `)), []);
  t.diagnostic(`another client waited for ${works.toFixed(1)} pieces of work at most`);
  assert.ok(works < WAIT_WORKS_MAX);
});

/** Waits until the server closes the connection. @returns The beginning of the response. */
async function openSlowly(t: TestContext, port: number, first: string, isReading: boolean): Promise<string> {
  const socket = await openSocket(t, port, first);
  let text = '';
  if (isReading) {
    socket.on('data', (chunk: Buffer) => { text += chunk.toString('latin1'); });
  } else {
    socket.once('readable', () => { text += String(socket.read(64)); });
  }
  const drip = setInterval(() => {
    socket.write('x'); // if a client does not read, it notices a closed connection only when it writes
    if (!isReading) {
      socket.read(4_096);
    }
  }, DRIP_EVERY_MS);
  t.after(() => clearInterval(drip));
  await new Promise((resolve) => socket.on('close', resolve));
  clearInterval(drip);
  return text;
}
