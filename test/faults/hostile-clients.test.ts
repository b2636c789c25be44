import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inFull } from '../support/faults.ts';
import { LONGEST_DESCRIPTION, startWithRoot } from '../support/filled-file.ts';
import { basic, call } from '../support/http-client.ts';
import { openSocket } from '../support/raw-http.ts';
import { LOW_PRIORITY, measuredTest, measureServer, readMib } from '../support/process-use.ts';

const OBSERVED_MS = inFull(10_000, { short: 1_500 });
const PROJECTS = 1_000;
/** The maximum processor time before `/livez` responds, in multiples of `measureWorkMs()`. */
const WAIT_WORKS_MAX = 6;
const PEAK_MIB_MAX = 320;

function start(t: TestContext, description: string, options: object) {
  const owners = [{ username: 'ada', projects: PROJECTS, description }];
  return startWithRoot(t, {}, { owners, ...options });
}

async function open(t: TestContext, port: number, count: number, bytes: string): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    (await openSocket(t, port, bytes, `127.0.0.${1 + (index % 4)}`)).pause();
  }
}

const toListRequest = (as: string, query = '') =>
  `GET /api/v1/projects${query} HTTP/1.1\r\nHost: x\r\nAuthorization: ${as}\r\n\r\n`;

const toChunks = (line: string, fields = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\n${fields}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(131_000)}`;

const UNREADING = inFull(1_000, { short: 300 });

for (const [title, description, connections, toBytes, limits] of [
  ['8 bodies of one-byte chunks without credentials', '', 8, () => toChunks('POST /api/v1/users'), [96]],
  ['8 bodies of one-byte chunks to a route without a body', '', 8, () => toChunks('GET /livez'), [96]],
  ['8 bodies of one-byte chunks that wait for a password', '', 8,
    () => toChunks('POST /api/v1/projects', `Authorization: ${basic('root', 'wrong')}\r\n`), [96]],
  ['450 lists of ordinary projects in one packet', 'x'.repeat(50), 1,
    (as) => toListRequest(as).repeat(450), [128, WAIT_WORKS_MAX]],
  ['24 lists of the largest projects in one packet', LONGEST_DESCRIPTION, 1,
    (as) => toListRequest(as).repeat(24), [128, WAIT_WORKS_MAX]],
  [`${UNREADING} clients that send 30 list requests each`, 'x'.repeat(200), UNREADING,
    (as) => toListRequest(as).repeat(30), [256]],
  [`${UNREADING} clients that send a packet full of requests`, 'x'.repeat(200), UNREADING,
    () => 'GET /static/openapi.json HTTP/1.1\r\n\r\n'.repeat(3_000), [256]],
] satisfies readonly (readonly [string, string, number, (as: string) => string, [number, number?]])[]) {
  const [mibMax, worksMax = Infinity] = limits;
  const delay = worksMax === Infinity ? '' : ` and delay others by < ${worksMax} pieces of work`;
  measuredTest(`${title}, unread, take < ${mibMax} MB${delay}`, async (t) => {
    // If Node.js has plenty of memory, it frees unused memory late, and the measured growth is too high.
    const littleMemory = { launcher: LOW_PRIORITY, nodeArguments: ['--max-old-space-size=160'] };
    const server = await start(t, description, littleMemory);
    const { grownMib, works } = await measureServer(server, async () => {
      await open(t, server.port, connections, toBytes(server.as));
      await pause(OBSERVED_MS);
    });
    t.diagnostic(`at most ${Math.round(grownMib)} MiB more, ${works.toFixed(1)} pieces of work`);
    assert.ok(grownMib < mibMax && works < worksMax);
  });
}

function shortestFields(sizeBytes: number): string {
  const names = Array.from({ length: sizeBytes / 6 }, (_, index) => index.toString(36).padStart(3, 'a'));
  return names.map((name) => `${name}:\r\n`).join('');
}

const LISTS = inFull(64, { short: 24 });

async function whenAnswered({ server: { logLines, process } }: Awaited<ReturnType<typeof start>>) {
  while (logLines.filter((text) => text.includes('"route":"/api/v1/projects"')).length < LISTS) {
    await once(process.stdout ?? process, 'data');
  }
}

type Peak = readonly [
  title: string, connections: number, toBytes: (as: string) => string, whenReceived?: typeof whenAnswered,
];

measuredTest.each<Peak>(`{0}: at most ${PEAK_MIB_MAX} MiB`, [
  ['4000 connections of unfinished header fields', 4_000,
    () => `GET /livez HTTP/1.1\r\nHost: x\r\n${shortestFields(16_000)}`],
  ['1000 connections with unfinished bodies', 1_000, (as) => 'POST /api/v1/projects HTTP/1.1\r\nHost: x\r\n' +
    `Authorization: ${as}\r\nContent-Length: 32768\r\n\r\n${'x'.repeat(32_767)}`],
  [`${LISTS} unread lists of ${PROJECTS} projects`, LISTS,
    (as) => toListRequest(as, `?items_per_page=${PROJECTS}`), whenAnswered],
], async (t, [, connections, toBytes, whenReceived]) => {
  const likeNpmStart = { nodeArguments: ['--max-semi-space-size=4'] };
  const server = await start(t, LONGEST_DESCRIPTION, likeNpmStart);
  await open(t, server.port, connections, toBytes(server.as));
  await whenReceived?.(server);
  // The server responds to `/livez` only after it has read all bytes that arrived earlier.
  assert.equal((await call(server.port, 'GET /livez')).status, 200);
  const peakMib = readMib(server.pid, 'VmHWM');
  t.diagnostic(`at most ${Math.round(peakMib)} MiB`);
  assert.ok(peakMib <= PEAK_MIB_MAX);
});
