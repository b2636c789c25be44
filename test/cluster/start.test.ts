import assert from 'node:assert/strict';
import { openRqlite } from '../../src/extras/cluster/driver.ts';
import { upgradeTables } from '../../src/extras/data/upgrade-steps.ts';
import { createSchema, readSchemaVersion, SCHEMA_VERSION } from '../../src/stores/schema.ts';
import { clusterTest, locationOf, openThrough, startCluster } from '../support/cluster.ts';
import { clusterUrl, openTestDatabase } from '../support/database.ts';
import { fillAsReleased } from '../support/released-database.ts';
import { readColumn, sql } from '../support/sql.ts';

const INSTANCES = 6;

clusterTest('Instances that start together create the tables once', async (t) => {
  const observer = await openTestDatabase(t);
  const location = locationOf(clusterUrl ?? '');
  const databases = await Promise.all(Array.from({ length: INSTANCES }, () => openRqlite(location)));
  const created = await Promise.all(databases.map((database) => createSchema(database)));
  await Promise.all(databases.map((database) => database.close()));
  assert.equal(created.filter((version) => version === 0).length, 1);
  assert.deepEqual(await readColumn(observer, 'SELECT version FROM schema_version'), [SCHEMA_VERSION]);
});

clusterTest('With one node down, instances that start together upgrade once, and lose nothing', async (t) => {
  const nodes = await startCluster(t);
  const databases = await Promise.all([1, 2, 3].map(() => openThrough(t, ...nodes.all)));
  const [first] = databases;
  assert(first !== undefined);
  await fillAsReleased(first, 5, true);
  const projects = sql('SELECT id, name, description, owner_id FROM projects ORDER BY id');
  const before = await first.read(projects);
  await nodes.all[0].end('SIGKILL');
  await nodes.findLeader();
  const lines: string[] = [];
  await Promise.all(databases.map((database) => upgradeTables(database, (_, line) => lines.push(line))));
  assert.equal(lines.filter((line) => line === 'database upgraded').length, 1);
  assert.equal(await readSchemaVersion(first), SCHEMA_VERSION);
  assert.deepEqual(await first.read(projects), before);
});
