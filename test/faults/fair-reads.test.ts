/** Tests floods of requests for the longest lists. Time limits are multiples of the time to read a list. */
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inFull } from '../support/faults.ts';
import { LONGEST_DESCRIPTION } from '../support/filled-file.ts';
import { call } from '../support/http-client.ts';
import { LOW_PRIORITY, measuredTest, readProcessorMs, watchAnswers } from '../support/process-use.ts';
import { startWithRoot, storeUser } from '../support/stored-user.ts';

const PROJECTS = 1_000;
const LISTS_AT_ONCE = inFull(200, { short: 60 });
const LEAVING_CLIENTS = inFull(1_200, { short: 400 });
const LEAVE_AFTER_MS = 300;
const OBSERVED_MS = inFull(2_000, { short: 500 });
const MEASURED_LISTS = 5;
const MOST_LISTS_BEFORE_AN_ANSWER = 15;

measuredTest(`${LEAVING_CLIENTS} list requests of clients that leave delay nobody`, async (t) => {
  const { port, bytes, watch } = await createWorld(t);
  await watch(async () => {
    const sockets = flood(port, bytes, LEAVING_CLIENTS);
    await pause(LEAVE_AFTER_MS);
    sockets.forEach((socket) => socket.destroy());
    await pause(OBSERVED_MS);
  });
});

measuredTest(`${LISTS_AT_ONCE} list requests of a user do not delay another user`, async (t) => {
  const { port, bytes, watch } = await createWorld(t);
  await watch(async () => {
    const sockets = flood(port, bytes.replace('\r\n', '\r\nConnection: close\r\n'), LISTS_AT_ONCE);
    await Promise.all(sockets.map((socket) => new Promise((resolve) => {
      socket.resume().on('close', resolve);
    })));
  });
});

function flood(port: number, bytes: string, count: number): readonly Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}); // the test may close the socket early
    return socket.on('connect', () => socket.write(bytes));
  });
}

async function createWorld(t: TestContext) {
  const ada = { username: 'ada', projects: PROJECTS, description: LONGEST_DESCRIPTION };
  const options = { owners: [ada], launcher: LOW_PRIORITY };
  const { as, environment, pid, port } = await startWithRoot(t, {}, options);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  t.after(() => agent.destroy());
  const { json } = await call(port, 'POST /api/v1/token', { as: storeUser(environment, 'bob') });
  const asBob = `Bearer ${json['token']}`;
  await call(port, 'POST /api/v1/projects', { as: asBob, json: { name: 'of bob' } });
  const list = `GET /api/v1/projects?items_per_page=${PROJECTS}`;
  const bytes = `${list} HTTP/1.1\r\nHost: x\r\nAuthorization: ${as}\r\n\r\n`;

  async function watch(attack: () => Promise<void>) {
    const beforeMs = readProcessorMs(pid);
    for (let i = 0; i < MEASURED_LISTS; i += 1) {
      await call(port, list, { as });
    }
    const oneListMs = (readProcessorMs(pid) - beforeMs) / MEASURED_LISTS;

    const polls = ([
      ['GET /livez', {}], ['GET /readyz', { agent }], // `/livez` is polled on new connections
      ['GET /api/v1/projects?owner=bob', { as: asBob, agent }],
    ] as const).map(([line, options]) => [line, watchAnswers(
      async () => assert.equal((await call(port, line, options)).status, 200, line),
      () => readProcessorMs(pid),
    )] as const);
    await attack();
    for (const [line, poll] of polls) {
      const lists = await poll.stop() / oneListMs;
      t.diagnostic(`${line} took the time of ${lists.toFixed(1)} lists of ${oneListMs} ms at most`);
      assert.ok(lists < MOST_LISTS_BEFORE_AN_ANSWER, line);
    }
  }
  return { port, bytes, watch };
}
