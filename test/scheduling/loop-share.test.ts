import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { createLoopShare } from '../../src/scheduling/fair-queue.ts';
import { listen } from '../support/listen.ts';
import { openSocket } from '../support/raw-http.ts';

test('Work of less than a millisecond altogether is followed by no pause', async () => {
  const share = createLoopShare();
  for (const [workedMs, isPaused] of [[0.4, false], [0.5, false], [0.1, true], [0.9, false]] as const) {
    let hasTurned = false;
    setImmediate(() => { hasTurned = true; });
    await share(workedMs);
    // after a pause, the working time is counted from zero again
    assert.equal(hasTurned, isPaused, `${workedMs} ms`);
  }
});

test('If nothing else is to be done, the pause is over at once', async () => {
  await createLoopShare()(3_600_000);
});

test('While others have work to do, the pause is as long as the work was', async (t) => {
  // Both ends of the connection echo all data, so the event loop always has work until the test is over.
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  const socket = await openSocket(t, await listen(t, server), 'x');
  socket.pipe(socket);
  await once(socket, 'data');
  const startedAtMs = performance.now();
  await createLoopShare()(100);
  assert.ok(performance.now() - startedAtMs >= 100);
});
