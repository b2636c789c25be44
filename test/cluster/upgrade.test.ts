/** Tests the upgrade of the tables of a released version on a cluster while a node is down. */
import assert from 'node:assert/strict';
import { createSchema, readSchemaVersion } from '../../src/database/create-schema.ts';
import { schema } from '../../src/stores/schema.ts';
import { clusterTest, openThrough, startCluster } from '../support/cluster.ts';
import { fillAsReleased } from '../support/released-database.ts';
import { sql } from '../support/sql.ts';

clusterTest('With one node down, copies that start together upgrade once, and lose nothing', async (t) => {
  const nodes = await startCluster(t);
  const databases = await Promise.all([1, 2, 3].map(() => openThrough(...nodes.all)));
  t.after(() => Promise.all(databases.map((database) => database.close())));
  const [first] = databases;
  assert(first !== undefined);
  await fillAsReleased(first, 5, true);
  const projects = sql('SELECT id, name, description, owner_id FROM projects ORDER BY id');
  const before = await first.read(projects);
  await nodes.all[0].end('SIGKILL');
  await nodes.findLeader();
  const outcomes = await Promise.all(databases.map((database) => createSchema(database, schema)));
  assert.deepEqual(outcomes.toSorted(), [5, schema.version, schema.version]);
  assert.equal(await readSchemaVersion(first), schema.version);
  assert.deepEqual(await first.read(projects), before);
});
