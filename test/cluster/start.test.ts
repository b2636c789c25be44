/** Tests copies of the service that start together on a cluster. */
import assert from 'node:assert/strict';
import { createSchema, readSchemaVersion } from '../../src/database/create-schema.ts';
import { openRqlite } from '../../src/extras/cluster/driver.ts';
import { schema } from '../../src/stores/schema.ts';
import { clusterTest, locationOf, openThrough, startCluster } from '../support/cluster.ts';
import { clusterUrl, openTestDatabase } from '../support/database.ts';
import { fillAsReleased } from '../support/released-database.ts';
import { sql } from '../support/sql.ts';

const COPIES = 6;

clusterTest('Copies that start together create the tables once', async (t) => {
  const observer = await openTestDatabase(t);
  const location = locationOf(clusterUrl ?? '');
  const databases = await Promise.all(Array.from({ length: COPIES }, () => openRqlite(location)));
  const created = await Promise.all(databases.map((database) => createSchema(database, schema)));
  await Promise.all(databases.map((database) => database.close()));
  assert.equal(created.filter((version) => version === 0).length, 1);
  const rows = await observer.read({ sql: 'SELECT version FROM schema_version', parameters: [] });
  assert.deepEqual(rows, [{ version: schema.version }]);
});

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
