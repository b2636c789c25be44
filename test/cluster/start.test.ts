/** Tests the start of copies of the service on a cluster. */
import assert from 'node:assert/strict';
import { createSchema } from '../../src/database/create-schema.ts';
import { openRqlite } from '../../src/extras/cluster/driver.ts';
import { schema } from '../../src/stores/schema.ts';
import { clusterTest, locationOf } from '../support/cluster.ts';
import { clusterUrl, openTestDatabase } from '../support/database.ts';

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
