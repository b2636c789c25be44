/**
 * Tests clients that send as many requests as a connection accepts, and read nothing. Measures the additional
 * memory of the server, and the processor time of the server while another client waits.
 */
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inFull } from '../support/faults.ts';
import { basic, call } from '../support/http-client.ts';
import { openSocket } from '../support/open-socket.ts';
import {
  LOW_PRIORITY, measuredTest, measureWorkMs, readMib, readProcessorMs, watchAnswers,
} from '../support/process-use.ts';
import type { RunningServer } from '../support/programs.ts';
import { startWithRoot } from '../support/stored-user.ts';

/** The time for which the measurement continues after all bytes are sent. */
const OBSERVED_MS = inFull(10_000, { short: 1_500 });
const PROJECTS = 1_000;
/** The maximum processor time before the response to another client, in pieces of work. */
const WAIT_WORKS_MAX = 6;
/** With plenty of memory, Node.js frees unused memory late, which would distort the measurement. */
const LITTLE_MEMORY = { launcher: LOW_PRIORITY, nodeArguments: ['--max-old-space-size=160'] };

/**
 * Starts a server with 1,000 projects with the given description; without a description, the server has no
 * projects.
 */
function start(t: TestContext, description = '') {
  const projects = description === '' ? 0 : PROJECTS;
  return startWithRoot(t, {}, { owners: [{ username: 'ada', projects, description }], ...LITTLE_MEMORY });
}

function toListRequest(as: string): string {
  return `GET /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: ${as}\r\n\r\n`;
}

async function measure(t: TestContext, server: RunningServer, attack: () => Promise<unknown>) {
  const agent = new Agent({ keepAlive: true });
  await call(server.port, 'GET /livez', { agent });
  const before = readMib(server.process.pid, 'VmRSS');
  const watch = watchAnswers(
    async () => assert.equal((await call(server.port, 'GET /livez', { agent })).status, 200),
    () => readProcessorMs(server.process.pid),
  );
  await attack();
  await pause(OBSERVED_MS);
  const works = await watch.stop() / measureWorkMs();
  agent.destroy();
  const grownMib = readMib(server.process.pid, 'VmHWM') - before;
  t.diagnostic(
    `at most ${Math.round(grownMib)} MiB more; another client waited for ${works.toFixed(1)} pieces of work`,
  );
  return { grownMib, works };
}

for (const [title, line, fields] of [
  ['without credentials', 'POST /api/v1/users', ''],
  ['to a route without a body', 'GET /livez', ''],
  ['that wait for a password', 'POST /api/v1/projects', `Authorization: ${basic('root', 'wrong')}\r\n`],
] as const) {
  measuredTest(`8 bodies of one-byte chunks ${title} take < 96 MB`, async (t) => {
    const { server } = await start(t);
    const head = `${line} HTTP/1.1\r\nHost: x\r\n${fields}Transfer-Encoding: chunked\r\n\r\n`;
    const bytes = head + '1\r\nx\r\n'.repeat(131_000);
    const { grownMib } = await measure(t, server, async () => {
      const sockets = await Promise.all(Array.from({ length: 8 }, () => openSocket(t, server.port)));
      sockets.forEach((socket) => socket.pause().write(bytes));
    });
    assert.ok(grownMib < 96);
  });
}

for (const [title, description, count] of [
  ['450 lists of ordinary projects', 'x'.repeat(50), 450],
  ['24 lists of the largest projects', '\u{1F600}'.repeat(2_000), 24],
] as const) {
  const claim = `delay others by < ${WAIT_WORKS_MAX} pieces of work and take < 128 MB`;
  measuredTest(`${title} in one packet, unread, ${claim}`, async (t) => {
    const { server, as } = await start(t, description);
    const { grownMib, works } = await measure(t, server, async () => {
      const socket = (await openSocket(t, server.port)).pause();
      socket.write(toListRequest(as).repeat(count));
    });
    assert.ok(works < WAIT_WORKS_MAX && grownMib < 128);
  });
}

const UNREADING = inFull(1_000, { short: 300 });

for (const [title, request, repeat] of [
  ['30 list requests each', toListRequest, 30],
  ['a packet full of requests', () => 'GET /static/openapi.json HTTP/1.1\r\n\r\n', 3_000],
] as const) {
  measuredTest(`${UNREADING} clients that read nothing and send ${title} take < 256 MB`, async (t) => {
    const { server, as } = await start(t, 'x'.repeat(200));
    const bytes = request(as).repeat(repeat);
    const { grownMib } = await measure(t, server, async () => {
      for (let index = 0; index < UNREADING; index += 1) {
        const socket = (await openSocket(t, server.port)).pause();
        socket.write(bytes);
      }
    });
    assert.ok(grownMib < 256);
  });
}
