import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import type { Node } from '../../scripts/nodes.ts';
import { CREATE_TICKETS } from '../../src/extras/cluster/tickets.ts';
import { openRqlite } from '../../src/extras/cluster/driver.ts';
import { createSchema, STATEMENTS } from '../../src/stores/schema.ts';
import { clusterTest, locationOf, openThrough, startCluster } from '../support/cluster.ts';
import { skipWithoutCluster } from '../support/database.ts';
import { starting } from '../support/each.ts';
import { inFile, run } from '../support/programs.ts';
import { readColumn, sql } from '../support/sql.ts';

const ROWS = 1_200;
const TICKETS_KEPT_MAX = 10_000;

const withPeople = starting(async (t) => {
  const nodes = await startCluster(t);
  const database = await openThrough(t, ...nodes.all);
  await database.write([
    sql('CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER) STRICT'),
    sql('CREATE TABLE foreign_table (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID'),
    sql(`
      INSERT INTO people (name) WITH RECURSIVE numbers (number) AS
        (VALUES (1) UNION ALL SELECT number + 1 FROM numbers WHERE number < ${ROWS})
      SELECT 'person ' || number FROM numbers`),
  ]);
  assert.deepEqual(await database.findNodeFaults('quick'), []);
  return { nodes, database };
}, skipWithoutCluster);

withPeople('Identical nodes have no fault, also during writes', async ({ database }) => {
  let isDone = false;
  const writing = (async () => {
    for (let age = 0; !isDone; age += 1) {
      await database.write([sql('UPDATE people SET age = ? WHERE id = 7', age)]);
    }
  })();
  assert.deepEqual(await database.findNodeFaults('thorough'), []);
  assert.deepEqual(await database.findNodeFaults('quick'), []);
  isDone = true;
  await writing;
});

withPeople.each('A node that {0} is reported by a {1} comparison', [
  ['lacks the last row', 'quick', `DELETE FROM people WHERE id = ${ROWS}`],
  ['lacks an old row', 'thorough', 'DELETE FROM people WHERE id = 700'],
  ['holds another value in one row', 'thorough', "UPDATE people SET name = 'other' WHERE id = 700"],
], async ({ nodes: { all: [, second] }, database }, [, depth, change]) => {
  changeBehindItsBack(second, change);
  assert.deepEqual(await database.findNodeFaults(depth), [
    `Node 127.0.0.1:${second.port} holds different rows in table "people" ` +
      'than the other nodes: replace this node',
  ]);
});

test('All tables of the service have a rowid, by which the nodes are compared', () => {
  assert.doesNotMatch([...STATEMENTS, CREATE_TICKETS.sql].join(), /WITHOUT ROWID/);
});

clusterTest('"admin.js check" compares the nodes, and exits with 1 if one differs', async (t) => {
  const { all, url } = await startCluster(t);
  await createSchema(await openThrough(t, ...all));
  const check = () => run('admin.js', ['check'], { environment: { DATABASE_URL: url } });
  assert.deepEqual(await check(), { code: 0, stdout: 'No problems found\n', stderr: '' });
  changeBehindItsBack(all[0], "INSERT INTO audit_removal VALUES ('never')");
  const { code, stderr } = await check();
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`Node 127\\.0\\.0\\.1:${all[0].port} holds different rows`));
});

withPeople('A node replaced by the steps of the guide holds the same rows as the others', async (world) => {
  const { nodes: { all: [, second], ready }, database } = world;
  changeBehindItsBack(second, 'DELETE FROM people');
  await second.end('SIGTERM');
  rmSync(dirname(second.databaseFile), { recursive: true });
  await database.write([sql("INSERT INTO people (name) VALUES ('new')")]);
  second.start();
  await ready();
  assert.deepEqual(await database.findNodeFaults('thorough'), []);
});

withPeople('A cluster is refused if one of its nodes does not enforce foreign keys', async (world, t) => {
  const { nodes: { all, ready }, database } = world;
  const [, , third] = all;
  await third.end('SIGKILL');
  third.start('-fk=false');
  await ready();
  const sentence = new RegExp(`^no foreign keys on .*:${third.port}: start every rqlited with -fk$`);
  await assert.rejects(openThrough(t, ...all), { message: sentence });
  const faults = await database.findNodeFaults('quick');
  assert.match(faults.join(), new RegExp(`:${third.port} does not enforce foreign keys`));
});

withPeople('Housekeeping reports a node that does not answer, and removes old tickets', async (world) => {
  const { nodes: { all: [, , third] }, database } = world;
  await third.end('SIGKILL');
  await database.write([sql(`
    INSERT INTO applied_batches (ticket) WITH RECURSIVE numbers (number) AS
      (VALUES (1) UNION ALL SELECT number + 1 FROM numbers WHERE number <= ${TICKETS_KEPT_MAX})
    SELECT 'left ' || number FROM numbers`)]);
  const faults = await database.findNodeFaults('quick');
  assert.equal(faults.length, 1);
  assert.match(faults.join(), new RegExp(`^Node 127\\.0\\.0\\.1:${third.port} does not answer`));
  const counting = "SELECT count(*) FROM applied_batches WHERE ticket LIKE 'left %'";
  assert.ok(Number(await readColumn(database, counting)) <= TICKETS_KEPT_MAX);
});

withPeople('Nodes that do not answer are named even if no write is possible', async (world, t) => {
  const { nodes: { all: [, ...others], url } } = world;
  const database = await openRqlite(locationOf(url), { requestMs: 2_000, attemptMs: 1_000 });
  t.after(() => database.close());
  await Promise.all(others.map((node) => node.end('SIGKILL')));
  const faults = await database.findNodeFaults('quick');
  for (const { port } of others) {
    assert.match(faults.join('\n'), new RegExp(`^Node 127\\.0\\.0\\.1:${port} does not answer`, 'm'));
  }
  assert.match(String(faults.at(-1)), /^The rows of the nodes were not compared: /);
});

/** A full disk has this effect: the node continues, but its rows differ from the rows of other nodes. */
function changeBehindItsBack({ databaseFile }: Node, change: string): void {
  inFile(databaseFile, (file) => file.exec(change));
}
