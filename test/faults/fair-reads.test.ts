import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { inFull } from '../support/faults.ts';
import { LONGEST_DESCRIPTION as description, startWithRoot, storeUser } from '../support/filled-file.ts';
import { call, KEEP_ALIVE as agent } from '../support/http-client.ts';
import { openSocket } from '../support/raw-http.ts';
import { LOW_PRIORITY, measuredTest, readProcessorMs, watchAnswers } from '../support/process-use.ts';

const PROJECTS = 1_000;
const LIST = `GET /api/v1/projects?items_per_page=${PROJECTS}`;
const LISTS_AT_ONCE = inFull(200, { short: 60 });
const LEAVING_CLIENTS = inFull(1_200, { short: 400 });
const LEAVE_AFTER_MS = 300;
const OBSERVED_MS = inFull(2_000, { short: 500 });
const MEASURED_LISTS = 5;
/** The limit on the wait for a response, in multiples of the time to read a list. */
const MOST_LISTS_BEFORE_AN_ANSWER = 15;

type Flood = readonly [title: string, count: number, act: (sockets: readonly Socket[]) => Promise<unknown>];

measuredTest.each<Flood>('{1} list requests of {0} delay nobody', [
  ['clients that leave', LEAVING_CLIENTS, async (sockets) => {
    await pause(LEAVE_AFTER_MS);
    sockets.forEach((socket) => socket.destroy());
    await pause(OBSERVED_MS);
  }],
  ['a user who reads them', LISTS_AT_ONCE, (sockets) =>
    Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))],
], async (t, [, count, act]) => {
  const options = { owners: [{ username: 'ada', projects: PROJECTS, description }], launcher: LOW_PRIORITY };
  const { as, environment, pid, port } = await startWithRoot(t, {}, options);
  const { json } = await call(port, 'POST /api/v1/token', { as: storeUser(environment, 'bob') });
  const asBob = `Bearer ${json['token']}`;
  await call(port, 'POST /api/v1/projects', { as: asBob, json: { name: 'of bob' } });
  const beforeMs = readProcessorMs(pid);
  for (let i = 0; i < MEASURED_LISTS; i += 1) {
    await call(port, LIST, { as });
  }
  const oneListMs = (readProcessorMs(pid) - beforeMs) / MEASURED_LISTS;

  const polls = ([
    ['GET /livez', {}], ['GET /readyz', { agent }], // without an agent, each request opens a connection
    ['GET /api/v1/projects?owner=bob', { as: asBob, agent }],
  ] as const).map(([line, options]) => [line, watchAnswers(
    async () => assert.equal((await call(port, line, options)).status, 200, line),
    () => readProcessorMs(pid),
  )] as const);
  const bytes = `${LIST} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${as}\r\n\r\n`;
  await act(await Promise.all(Array.from({ length: count }, () => openSocket(t, port, bytes))));
  for (const [line, poll] of polls) {
    const lists = await poll.stop() / oneListMs;
    t.diagnostic(`${line} took the time of ${lists.toFixed(1)} lists of ${oneListMs} ms at most`);
    assert.ok(lists < MOST_LISTS_BEFORE_AN_ANSWER, line);
  }
});
