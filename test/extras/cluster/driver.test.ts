import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { openRqlite } from '../../../src/extras/cluster/driver.ts';
import { listen } from '../../support/listen.ts';
import { sql } from '../../support/sql.ts';

const ASK = sql('SELECT 1 AS answer');
const WRITE = '/db/execute?transaction';
const LOCAL = '/db/query?level=none';
const STRONG = '/db/query?level=strong';

const toQuestions = (count: number) => Array.from({ length: count }, (_, index) => sql(`SELECT ${index}`));

test('Three reads go through the log; four share a barrier and read what the node has', async (t) => {
  const { database, seen } = await start(t, { holdsTickets: true });
  await Promise.all(toQuestions(3).map((question) => database.read(question)));
  assert.deepEqual(seen.splice(0), [STRONG]);
  await Promise.all(toQuestions(4).map((question) => database.read(question)));
  assert.deepEqual(seen, [WRITE, LOCAL]);
});

test('Behind a barrier whose ticket the node lacks, the questions go through the log', async (t) => {
  const { database, seen } = await start(t, { holdsTickets: false });
  await Promise.all(toQuestions(4).map((question) => database.read(question)));
  assert.deepEqual(seen, [WRITE, LOCAL, STRONG]);
});

test('A recent read that the nearby node and the leader cannot answer goes through the log', async (t) => {
  const { database, seen } = await start(t, { holdsTickets: false });
  await database.write([sql('UPDATE a SET b = 1')]);
  assert.deepEqual(await database.read(ASK, 'recent'), [{ answer: 7 }]);
  assert.deepEqual(seen, [WRITE, LOCAL, LOCAL, STRONG]);
});

test('A row is read back from a node that holds the ticket of the change, without the log', async (t) => {
  const { database, seen } = await start(t, { holdsTickets: true });
  const statements = [sql('DELETE FROM a WHERE FALSE'), sql('UPDATE a SET b = 1')];
  assert.deepEqual(await database.change(statements, ASK), { counts: [0, 1], row: { answer: 7 } });
  assert.deepEqual(seen, [WRITE, LOCAL]);
});

test('Concurrent lists share requests, and equal lists are asked once', async (t) => {
  const { database, seen } = await start(t, { holdsTickets: true });
  const list = (question: typeof ASK) => database.read(question, 'recent');
  await Promise.all(Array(20).fill(ASK).map(list));
  assert.deepEqual(seen.splice(0), [LOCAL]);
  await Promise.all(toQuestions(20).map(list));
  assert.deepEqual(seen, Array(5).fill(LOCAL));
});

async function start(t: TestContext, { holdsTickets }: { readonly holdsTickets: boolean }) {
  const seen: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const statements = await json(incoming) as [sql: string, parameter: string][];
    seen.push(String(incoming.url).split('&')[0] ?? '');
    const results = statements.map(([text, parameter]) => {
      if (/SELECT count.* FROM applied_batches/.test(text)) {
        return toRow(holdsTickets ? JSON.parse(parameter).length : -1);
      }
      return text.startsWith('SELECT')
        ? toRow(text.includes('foreign_keys') ? 1 : 7)
        : { rows_affected: text.startsWith('DELETE') ? 0 : 1 };
    });
    outgoing.end(JSON.stringify({ results }));
  });
  const node = { host: '127.0.0.1', port: await listen(t, server) };
  const database = await openRqlite({
    driver: 'rqlite', nodes: [node], usesTls: false, credentials: undefined,
  });
  t.after(() => database.close());
  seen.splice(0);
  return { database, seen };
}

const toRow = (value: number) => ({ columns: ['answer'], values: [[value]] });
