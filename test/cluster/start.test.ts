/** Copies of the service start on a cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../../src/database/migrate.ts';
import { parseDatabaseUrl } from '../../src/database/location.ts';
import { openRqlite } from '../../src/extras/cluster/driver.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { startCluster } from '../support/cluster.ts';
import { clusterUrl, openTestDatabase, skipWithoutCluster } from '../support/database.ts';

const COPIES = 6;

test(`Of ${COPIES} copies that start together each migration is applied by one, once`, { skip: skipWithoutCluster }, async (t) => {
  const observer = await openTestDatabase(t);
  const location = parseDatabaseUrl(clusterUrl ?? '');
  assert(location?.driver === 'rqlite');
  const databases = await Promise.all(Array.from({ length: COPIES }, () => openRqlite(location)));
  const applied = await Promise.all(databases.map((database) => migrate(database, migrations, '2026-01-01T00:00:00.000Z')));
  await Promise.all(databases.map((database) => database.close()));
  const versions = migrations.map((_, index) => index + 1);
  assert.deepEqual(applied.flat().sort((left, right) => left - right), versions);
  const rows = await observer.read({ sql: 'SELECT version FROM schema_migrations ORDER BY version', parameters: [] });
  assert.deepEqual(rows.map(({ version }) => version), versions);
});

test('A cluster that does not enforce foreign keys is refused', { skip: skipWithoutCluster }, async (t) => {
  const { url } = await startCluster(t, '-fk=false');
  const location = parseDatabaseUrl(url);
  assert(location?.driver === 'rqlite');
  await assert.rejects(openRqlite(location), /expected every rqlited to be started with -fk/);
});
