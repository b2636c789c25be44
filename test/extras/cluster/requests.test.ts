/** How the driver sends requests to nodes; servers with given responses take the place of nodes. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { createRequests, type RqliteRequests } from '../../../src/extras/cluster/requests.ts';
import type { RqliteLocation, RqliteNode } from '../../../src/database/location.ts';
import { listen } from '../../support/listen.ts';

const OK = { status: 200, body: '{"results":[{}]}' };
/** Nothing listens on port 1, which is reserved for TCP multiplexers. */
const NOBODY: RqliteNode = { host: '127.0.0.1', port: 1 };

interface Reply {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

test('If a connection is refused, this and later requests go to the next node', async (t) => {
  const node = await startNode(t, [OK, OK]);
  const cluster = open(t, [NOBODY, node]);
  assert.equal((await cluster.ask('/db/query?level=strong', '[]')).isFirstAttempt, false);
  assert.equal((await cluster.ask('/db/query?level=strong', '[]')).isFirstAttempt, true);
});

for (const [title, reply] of [
  ['503', { status: 503, body: 'leader not found' }],
  ['an error instead of results', { status: 200, body: '{"results":[],"error":"leadership lost"}' }],
  ['something that is not JSON', { status: 200, body: '<html>' }],
] as const) {
  test(`A node that answers ${title} is retried after the other nodes`, async (t) => {
    const [first, second] = [await startNode(t, [reply, OK]), await startNode(t, [reply])];
    await open(t, [first, second]).ask('/db/execute?transaction', '[]');
    assert.deepEqual([first.seen.length, second.seen.length], [2, 1]);
  });
}

test('Credentials are sent in a header and never in the URL', async (t) => {
  const node = await startNode(t, [OK]);
  await open(t, [node], { username: 'adä', password: 's3cret:' }).ask('/db/query?level=weak', '[]');
  assert.equal(node.seen[0]?.headers.authorization, `Basic ${Buffer.from('adä:s3cret:').toString('base64')}`);
  assert.match(node.seen[0]?.url ?? '', /^\/db\/query\?level=weak&timeout=\d+ms$/);
});

test('A redirect is not followed', async (t) => {
  const elsewhere = await startNode(t, [OK]);
  const first = await startNode(t, [
    { status: 301, headers: { 'Location': `http://127.0.0.1:${elsewhere.port}/` } }, OK,
  ]);
  await open(t, [first], { username: 'ada', password: 's3cret' }).ask('/db/query?level=strong', '[]');
  assert.deepEqual([first.seen.length, elsewhere.seen.length], [2, 0]);
});

for (const status of [400, 401, 403]) {
  test(`Status ${status} is an error at once, without a retry`, async (t) => {
    const node = await startNode(t, [{ status }]);
    await assert.rejects(open(t, [node]).ask('/db/query?level=strong', '[]'), /refuses a request: status/);
    assert.equal(node.seen.length, 1);
  });
}

const BARRIER = ['/db/query?level=strong', '["SELECT 1"]', () => '["SELECT 2"]'] as const;

test('Questions after another request use its connection', async (t) => {
  const node = await startNode(t, [OK, OK]);
  const { first, second } = await open(t, [node]).tryInTurn(...BARRIER);
  assert.deepEqual([first.kind, (await second)?.kind], ['answered', 'answered']);
  const paths = node.seen.map(({ url = '' }) => url.split('&')[0]);
  assert.deepEqual(paths, ['/db/query?level=strong', '/db/query?level=weak']);
  assert.equal(new Set(node.seen.map(({ socket }) => socket)).size, 1);
});

test('Without questions, only the first request is sent', async (t) => {
  const node = await startNode(t, [OK, OK]);
  const { first, second } = await open(t, [node]).tryInTurn('/db/execute?transaction', '[]', () => undefined);
  assert.deepEqual([first.kind, await second, node.seen.length], ['answered', undefined, 1]);
});

const FORWARDED = { ...OK, headers: { 'X-RQLITE-SERVED-BY': '10.0.0.1:4002' } };
const CLOSING = { ...OK, headers: { 'Connection': 'close' } };

for (const [title, replies, first, seen] of [
  ['the first request was forwarded to the leader', [FORWARDED], 'answered', 1],
  ['the first request failed', [{ status: 503 }], 'failed', 1],
  ['the questions were forwarded to the leader', [OK, FORWARDED], 'answered', 2],
  ['the connection was lost in between', [CLOSING, OK], 'answered', 2],
] as const) {
  test(`Questions after another request are not answered if ${title}`, async (t) => {
    const node = await startNode(t, replies);
    const answers = await open(t, [node]).tryInTurn(...BARRIER);
    assert.deepEqual([answers.first.kind, await answers.second], [first, undefined]);
    assert.equal(node.seen.length, seen);
  });
}

test('If questions are not answered, the next request goes to the next node', async (t) => {
  const [first, second] = [await startNode(t, [OK]), await startNode(t, [OK])]; // then 503
  const cluster = open(t, [first, second]);
  await (await cluster.tryInTurn(...BARRIER)).second;
  await cluster.ask('/db/query?level=strong', '[]');
  assert.deepEqual([first.seen.length, second.seen.length], [2, 1]);
});

test('After a forwarded request, the next request goes to the next node', async (t) => {
  const [follower, leader] = [await startNode(t, [FORWARDED]), await startNode(t, [OK, OK])];
  const cluster = open(t, [follower, leader]);
  for (let request = 1; request <= 3; request += 1) {
    await cluster.ask('/db/query?level=strong', '[]');
  }
  assert.deepEqual([follower.seen.length, leader.seen.length], [1, 2]);
});

test('Without an answer for 8 seconds the database is unavailable, for the last reason', async (t) => {
  const startedAtMs = performance.now();
  const asked = open(t, [NOBODY]).ask('/db/query?level=strong', '[]');
  const error = await asked.then(() => assert.fail('answered'), (reason: Error) => reason);
  assert.equal(error.name, 'DatabaseUnavailableError');
  const reason = /in (\d+) attempts, the last: 127\.0\.0\.1:1: .*ECONNREFUSED/.exec(error.message);
  const attempts = Number(reason?.[1]);
  assert.ok(performance.now() - startedAtMs > 7_000);
  assert.ok(attempts <= 25, `${attempts} attempts take longer than 8 seconds`);
});

test('If a thousand requests wait for the cluster, further requests are refused at once', async (t) => {
  const cluster = open(t, [NOBODY]);
  const waiting = Array.from({ length: 1_000 }, () => cluster.ask('/db/query?level=strong', '[]'));
  await assert.rejects(cluster.ask('/db/query?level=strong', '[]'), {
    name: 'DatabaseUnavailableError', message: /More than 1000/,
  });
  cluster.close();
  assert.ok((await Promise.allSettled(waiting)).every(({ status }) => status === 'rejected'));
});

/** A server that sends each response once, in order, and then no more responses. */
async function startNode(
  context: TestContext, replies: readonly Reply[],
): Promise<RqliteNode & { readonly seen: readonly IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    const { status, body = '', headers = {} } = replies[seen.length] ?? { status: 503 };
    seen.push(incoming);
    outgoing.writeHead(status, headers).end(body);
  });
  return { host: '127.0.0.1', port: await listen(context, server), seen };
}

function open(
  context: TestContext,
  [first, ...others]: readonly RqliteNode[],
  credentials?: RqliteLocation['credentials'],
): RqliteRequests {
  assert(first !== undefined);
  const nodes = [first, ...others] as const;
  const cluster = createRequests({ driver: 'rqlite', nodes, usesTls: false, credentials });
  context.after(() => cluster.close());
  return cluster;
}
