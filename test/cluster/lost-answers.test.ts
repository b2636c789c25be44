import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { openRqlite } from '../../src/extras/cluster/driver.ts';
import { locationOf } from '../support/cluster.ts';
import { clusterUrl, openTestDatabase, skipWithoutCluster } from '../support/database.ts';
import { starting } from '../support/each.ts';
import { listen } from '../support/listen.ts';
import { readColumn, sql } from '../support/sql.ts';

const CONCURRENT_WRITES = 20;
const REQUESTS_FOR_WRITES_MAX = 3;

/** This statement changes no row, so `change` also runs the query `readBack`. */
const NOTHING = sql('DELETE FROM counters WHERE FALSE');
const INCREMENT = sql('UPDATE counters SET value = value + 1');
const COUNTER = 'SELECT value FROM counters';
const READ_BACK = sql(COUNTER);
const INSERT = 'INSERT INTO names (name) VALUES (?)';

const lossy = starting(async (t) => {
  await (await openTestDatabase(t)).write([
    sql('CREATE TABLE counters (value INTEGER NOT NULL) STRICT'),
    sql('CREATE TABLE names (name TEXT PRIMARY KEY) STRICT'),
    sql('INSERT INTO counters (value) VALUES (0)'),
  ]);
  const location = locationOf(clusterUrl ?? '');
  const network = await startLosingProxy(t, location.nodes[0].port);
  const database = await openRqlite({ ...location, nodes: [{ host: '127.0.0.1', port: network.port }] });
  t.after(() => database.close());
  return { database, network };
}, skipWithoutCluster);

lossy.each('{0} is acknowledged, and applied once', [
  ['A write whose response is lost once', 1, { answersToLose: 1 }],
  ['A write whose response is lost three times', 1, { answersToLose: 3 }],
  ['Each of 20 writes in shared requests whose responses are lost', CONCURRENT_WRITES,
    { answersToLose: REQUESTS_FOR_WRITES_MAX }],
  ['Each of 20 writes in shared requests, of which copies arrive later,', CONCURRENT_WRITES,
    { requestsToDelay: REQUESTS_FOR_WRITES_MAX }],
], async ({ database, network }, [, count, faults]) => {
  Object.assign(network, faults);
  await Promise.all(Array.from({ length: count }, () => database.write([INCREMENT])));
  await network.deliverDelayed();
  assert.deepEqual(await readColumn(database, COUNTER), [count]);
});

lossy.each('A change {0}, and is applied once', [
  ['that is lost is sent again, and returns its outcome', { requestsToDelay: 2 }, READ_BACK, true],
  ['returns its row although the answer to the read-back is lost', { readAnswersToLose: 1 }, READ_BACK, true],
  ['whose response is lost has an unknown outcome', { answersToLose: 1 }, READ_BACK, false],
  ['whose row cannot be read back has an unknown outcome', {}, sql('SELECT nowhere'), false],
  ['whose row is deleted before it is read back has an unknown outcome', {},
    sql('SELECT value FROM counters WHERE value < 0'), false],
], async ({ database, network }, [, faults, readBack, isKnown]) => {
  Object.assign(network, faults);
  const change = database.change([NOTHING, INCREMENT], readBack);
  await (isKnown
    ? change.then((done) => assert.deepEqual(done, { counts: [0, 1], row: { value: 1 } }))
    : assert.rejects(change, DatabaseUnavailableError));
  assert.deepEqual(await readColumn(database, COUNTER), [1]);
});

lossy('A copy of a write that arrives after the acknowledgement has no effect', async (world) => {
  const { database, network } = world;
  network.requestsToDelay = 1;
  await database.write([INCREMENT, sql(INSERT, 'ann')]);
  await database.write([sql('DELETE FROM names')]);
  await network.deliverDelayed();
  assert.deepEqual(await readColumn(database, COUNTER), [1]);
  assert.deepEqual(await readColumn(database, 'SELECT name FROM names'), []);
});

lossy('A write that is refused after a lost response has an unknown outcome', async (world) => {
  const { database, network } = world;
  network.requestsToDelay = 1;
  await assert.rejects(database.write([INCREMENT, sql('DELETE FROM nowhere')]), DatabaseUnavailableError);
  await assert.rejects(database.write([INCREMENT, sql('DELETE FROM nowhere')]), /no such table: nowhere/);
  assert.deepEqual(await readColumn(database, COUNTER), [0]);
});

lossy('Concurrent writes share requests', async ({ database, network }) => {
  const before = network.writes;
  await Promise.all(Array.from({ length: CONCURRENT_WRITES }, () => database.write([INCREMENT])));
  assert.ok(network.writes - before <= REQUESTS_FOR_WRITES_MAX, `${network.writes - before} requests`);
  assert.deepEqual(await readColumn(database, COUNTER), [CONCURRENT_WRITES]);
});

lossy('A refused write in a shared request whose response is lost refuses no other write', async (world) => {
  const { database, network } = world;
  network.answersToLose = REQUESTS_FOR_WRITES_MAX;
  const writes = Array.from({ length: CONCURRENT_WRITES }, (_, index) =>
    database.write(index % 5 === 4 ? [INCREMENT, sql('DELETE FROM nowhere')] : [INCREMENT]));
  const outcomes = await Promise.allSettled(writes);
  const expected = outcomes.map((_, index) => index % 5 === 4);
  assert.deepEqual(outcomes.map(({ status }) => status === 'rejected'), expected);
  assert.deepEqual(await readColumn(database, COUNTER), [CONCURRENT_WRITES * 4 / 5]);
});

lossy('Tickets of writes that are acknowledged at once are removed', async ({ database }) => {
  const countTickets = async () =>
    Number((await readColumn(database, 'SELECT count(*) FROM applied_batches'))[0]);
  const before = await countTickets();
  for (let write = 1; write <= 10; write += 1) {
    await database.write([INCREMENT]);
  }
  await Promise.all(Array.from({ length: 10 }, () => database.write([INCREMENT])));
  await database.write([INCREMENT]);
  await database.write([INCREMENT]);
  assert.ok(await countTickets() <= before + 2); // the table keeps rows only for the last two writes
});

/** Forwards each request to a node, but breaks some connections instead of responding. */
async function startLosingProxy(context: TestContext, port: number) {
  const delayed: (() => Promise<unknown>)[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const isWrite = incoming.url?.startsWith('/db/execute') === true;
    proxy.writes += isWrite ? 1 : 0;
    if (isWrite && proxy.requestsToDelay > 0) {
      proxy.requestsToDelay -= 1;
      delayed.push(() => pass(incoming, body));
      incoming.socket.destroy();
      return;
    }
    const { answer, content } = await pass(incoming, body);
    const counter = isWrite ? 'answersToLose' : 'readAnswersToLose';
    if (proxy[counter] > 0) {
      proxy[counter] -= 1;
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 0).end(content);
  });

  async function pass({ method, url: path, headers }: IncomingMessage, body: Buffer) {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }).end(body);
    const [answer]: IncomingMessage[] = await once(outgoing, 'response');
    assert(answer !== undefined);
    return { answer, content: await buffer(answer) };
  }

  const proxy = {
    port: await listen(context, server),
    /** The number of requests to `/db/execute` so far. */
    writes: 0,
    /** The proxy forwards the next `answersToLose` writes to the node, but does not return the responses. */
    answersToLose: 0,
    readAnswersToLose: 0,
    /** The proxy holds back the next `requestsToDelay` writes until `deliverDelayed` is called. */
    requestsToDelay: 0,
    async deliverDelayed(): Promise<void> {
      await Promise.all(delayed.splice(0).map((deliver) => deliver()));
    },
  };
  return proxy;
}
