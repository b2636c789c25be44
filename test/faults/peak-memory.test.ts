/** Tests the peak memory of the server with clients that make the server hold as much as the limits allow. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { inFull } from '../support/faults.ts';
import { call } from '../support/http-client.ts';
import { measuredTest, readMib } from '../support/process-use.ts';
import type { RunningServer } from '../support/programs.ts';
import { startWithRoot } from '../support/stored-user.ts';

const PEAK_MIB_MAX = 320;
const PROJECTS = 1_000;
const LONGEST_DESCRIPTION = '\u{1F600}'.repeat(2_000);

const HEADS = 4_000;
const BODIES = 1_000;
const LISTS = inFull(64, { short: 24 });

/** Starts a server like `npm start`, with a thousand projects of maximum size. */
function start(t: TestContext) {
  return startWithRoot(t, {}, {
    owners: [{ username: 'ada', projects: PROJECTS, description: LONGEST_DESCRIPTION }],
    nodeArguments: ['--max-semi-space-size=4'],
  });
}

/** Opens connections from four addresses. Each connection sends the given bytes and reads nothing. */
async function open(t: TestContext, { port }: RunningServer, count: number, bytes: string): Promise<void> {
  await Promise.all(Array.from({ length: count }, async (_, index) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${1 + (index % 4)}` });
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    await new Promise((resolve) => socket.pause().write(bytes, resolve));
  }));
}

/**
 * Sends a last request. Before the server responds to the last request, the server has read all bytes that
 * arrived earlier.
 */
async function checkPeak(t: TestContext, { port, process: { pid } }: RunningServer): Promise<void> {
  assert.equal((await call(port, 'GET /livez')).status, 200);
  const peakMib = readMib(pid, 'VmHWM');
  t.diagnostic(`at most ${Math.round(peakMib)} MiB`);
  assert.ok(peakMib <= PEAK_MIB_MAX);
}

/** @returns The shortest possible header fields, all with different names. */
function shortestFields(sizeBytes: number): string {
  const names = Array.from({ length: sizeBytes / 6 }, (_, index) => index.toString(36).padStart(3, 'a'));
  return names.map((name) => `${name}:\r\n`).join('');
}

measuredTest(`${HEADS} connections of unfinished header fields: at most ${PEAK_MIB_MAX} MiB`, async (t) => {
  const { server } = await start(t);
  await open(t, server, HEADS, `GET /livez HTTP/1.1\r\nHost: x\r\n${shortestFields(16_000)}`);
  await checkPeak(t, server);
});

measuredTest(`${BODIES} connections with unfinished bodies: at most ${PEAK_MIB_MAX} MiB`, async (t) => {
  const { server, as } = await start(t);
  const fields = ['Host: x', `Authorization: ${as}`, 'Content-Length: 32768'].join('\r\n');
  const head = `POST /api/v1/projects HTTP/1.1\r\n${fields}\r\n\r\n`;
  await open(t, server, BODIES, head + 'x'.repeat(32_767));
  await checkPeak(t, server);
});

measuredTest(`${LISTS} unread lists of ${PROJECTS} projects: at most ${PEAK_MIB_MAX} MiB`, async (t) => {
  const { server, as } = await start(t);
  const line = `GET /api/v1/projects?items_per_page=${PROJECTS} HTTP/1.1`;
  await open(t, server, LISTS, `${line}\r\nHost: x\r\nAuthorization: ${as}\r\n\r\n`);
  const logged = () => server.logLines.filter((text) => text.includes('"route":"/api/v1/projects"')).length;
  while (logged() < LISTS) {
    await once(server.process.stdout ?? server.process, 'data');
  }
  await checkPeak(t, server);
});
