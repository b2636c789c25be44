import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { createConnection } from '../../../src/extras/cluster/connection.ts';
import { createRequests, TIMEOUTS, type RqliteRequests } from '../../../src/extras/cluster/requests.ts';
import { DatabaseUnavailableError } from '../../../src/database/database.ts';
import type { RqliteLocation, RqliteNode } from '../../../src/database/location.ts';
import { each } from '../../support/each.ts';
import { listen } from '../../support/listen.ts';

const OK = { status: 200, body: '{"results":[{}]}' };
const PATH = '/db/query?level=strong';
const TIMEOUT_MS = 2_000;

/** Port 1 is reserved for TCP multiplexers, so nothing listens there, and connections are refused. */
const NOBODY: RqliteNode = { host: '127.0.0.1', port: 1 };

test('If a connection is refused, this and later requests go to the next node', async (t) => {
  const node = await startNode(t, [OK, OK]);
  const cluster = open(t, [NOBODY, node]);
  assert.equal((await ask(cluster)).isFirstAttempt, false);
  assert.equal((await ask(cluster)).isFirstAttempt, true);
});

each('After {0} with {1}, the other nodes are asked first', [
  [200, '{"results":[],"error":"leadership lost while committing log"}'], [200, '{"error":"not leader"}'],
  [200, '{"results":'], [200, ''], [200, 'null'], [200, '[]'], [200, '<html>'],
  [500, 'leader address'], [503, 'leader not found'],
], async ([status, body], t) => {
  const failure = { status, body };
  const [first, second] = [await startNode(t, [failure, OK]), await startNode(t, [failure])];
  await ask(open(t, [first, second]));
  assert.deepEqual([first.seen.length, second.seen.length], [2, 1]);
});

test('Credentials are sent in a header and never in the URL', async (t) => {
  const node = await startNode(t, [OK]);
  await ask(open(t, [node], { username: 'adä', password: 's3cret:' }));
  assert.equal(node.seen[0]?.headers.authorization, `Basic ${Buffer.from('adä:s3cret:').toString('base64')}`);
  assert.match(node.seen[0]?.url ?? '', /^\/db\/query\?level=strong&timeout=\d+ms$/);
});

test('A redirect is not followed', async (t) => {
  const elsewhere = await startNode(t, [OK]);
  const first = await startNode(t, [
    { status: 301, headers: { 'Location': `http://127.0.0.1:${elsewhere.port}/` } }, OK,
  ]);
  await ask(open(t, [first], { username: 'ada', password: 's3cret' }));
  assert.deepEqual([first.seen.length, elsewhere.seen.length], [2, 0]);
});

each('Status {0} is an error at once, without a retry', [400, 401, 403], async (status, t) => {
  const node = await startNode(t, [{ status }]);
  await assert.rejects(ask(open(t, [node])), /refused a request: status/);
  assert.equal(node.seen.length, 1);
});

test('After a forwarded request, the next requests go to the next node', async (t) => {
  const forwarded = { ...OK, headers: { 'X-RQLITE-SERVED-BY': '10.0.0.1:4002' } };
  const [follower, leader] = [await startNode(t, [forwarded]), await startNode(t, [OK, OK])];
  const cluster = open(t, [follower, leader]);
  await ask(cluster);
  await ask(cluster);
  await ask(cluster);
  assert.deepEqual([follower.seen.length, leader.seen.length], [1, 2]);
});

test('Without an answer until the deadline the database is unavailable, for the last reason', async (t) => {
  const startedAtMs = performance.now();
  const asked = ask(open(t, [NOBODY]));
  const error = await asked.then(() => assert.fail('answered'), (reason: Error) => reason);
  assert.ok(error instanceof DatabaseUnavailableError);
  const reason = /in (\d+) attempts; last failure: 127\.0\.0\.1:1: .*ECONNREFUSED/.exec(error.message);
  const attempts = Number(reason?.[1]);
  assert.ok(performance.now() - startedAtMs > TIMEOUT_MS - 400, 'one pause before the deadline at most');
  assert.ok(attempts <= 10, `${attempts} attempts`);
});

test('A request that waits for a node ends when the database is closed', async (t) => {
  const cluster = open(t, [NOBODY]);
  const asked = cluster.ask(PATH, '[]', { mayBeApplied: false, endsAtMs: Infinity });
  cluster.close();
  await assert.rejects(asked, DatabaseUnavailableError);
});

/** The server sends each response once, in order. All later requests get 503. */
async function startNode(
  context: TestContext,
  replies: readonly { status: number; body?: string; headers?: Record<string, string> }[],
): Promise<RqliteNode & { readonly seen: readonly IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    const { status, body = '', headers = {} } = replies[seen.length] ?? { status: 503 };
    seen.push(incoming);
    outgoing.writeHead(status, headers).end(body);
  });
  return { host: '127.0.0.1', port: await listen(context, server), seen };
}

function ask(cluster: RqliteRequests) {
  return cluster.ask(PATH, '[]', { mayBeApplied: false, endsAtMs: performance.now() + TIMEOUT_MS });
}

function open(
  context: TestContext, nodes: RqliteLocation['nodes'], credentials?: RqliteLocation['credentials'],
): RqliteRequests {
  const cluster = createRequests(
    createConnection({ driver: 'rqlite', nodes, usesTls: false, credentials }), TIMEOUTS,
  );
  context.after(() => cluster.close());
  return cluster;
}
