/**
 * `released.jsonl` was exported by version 1.0.0 after users, projects, tokens and hostile texts had been
 * created, changed and deleted. Every later version must import it.
 */
import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test, type TestContext } from 'node:test';
import { createSchema } from '../../../src/database/create-schema.ts';
import type { Database } from '../../../src/database/database.ts';
import { findInconsistencies } from '../../../src/extras/data/consistency.ts';
import { exportRecords } from '../../../src/extras/data/export.ts';
import { importRecords, readExport } from '../../../src/extras/data/import.ts';
import { createRecordStore, LATER_COLUMNS } from '../../../src/extras/data/records.ts';
import { toTimestamp } from '../../../src/model/clock.ts';
import { schema } from '../../../src/stores/schema.ts';
import { basic } from '../../support/http-client.ts';
import { openTestDatabase } from '../../support/database.ts';
import { startService } from '../../support/service.ts';

const FILE = fileURLToPath(new URL('released.jsonl', import.meta.url));

/** A token of `ada`, valid for ten minutes after the export. */
const TOKEN = 'Bearer rollcall_k2O0qsEVfkAhN230b41h6dWk5PXQ56_mAun0lDkw52kNVor9w';

async function importReleased(t: TestContext): Promise<Database> {
  const database = await openTestDatabase(t);
  await createSchema(database, schema, toTimestamp(0));
  const source = await readExport(createReadStream(FILE, 'utf8'));
  await importRecords(source, createRecordStore(database));
  return database;
}

/** Reads the header of the file, and its records with their tables. */
const [releasedHeader, ...released] = readFileSync(FILE, 'utf8').trimEnd().split('\n')
  .map((line) => JSON.parse(line));

function recordsOf(table: string): Record<string, any>[] {
  return released.filter((line) => line.table === table).map(({ record }) => record);
}

test('An export of version 1.0.0 can be imported, and is exported again unchanged', async (t) => {
  const database = await importReleased(t);
  let text = '';
  for await (const piece of exportRecords(createRecordStore(database), toTimestamp(0))) {
    text += piece;
  }
  const [header, ...lines] = text.trimEnd().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual({ ...header, exported_at: releasedHeader.exported_at }, releasedHeader);
  assert.deepEqual(lines, released.map((line) => line.table === 'tokens'
    ? { ...line, record: { ...line.record, ...LATER_COLUMNS.tokens } } // which version 1.0.0 did not have
    : line));
  assert.deepEqual(await findInconsistencies(database), []);
});

test('Users of version 1.0.0 sign in with their passwords and tokens, and find their records', async (t) => {
  const service = await startService(t, {}, await importReleased(t));
  service.clock.nowMs = Date.parse(releasedHeader.exported_at);
  const as = basic('ada', 'password of ada long');
  const list = async (name: string): Promise<Record<string, any>[]> =>
    (await service.call(`GET /api/v1/${name}`, { as })).json[name];
  assert.deepEqual(
    (await list('users')).map(({ username, email, is_admin }) => [username, email, is_admin]),
    recordsOf('users').map(({ username, email, is_admin }) => [username, email, is_admin === 1]),
  );
  const owners = new Map(recordsOf('users').map(({ id, username }) => [id, username]));
  assert.deepEqual(
    (await list('projects')).map(({ name, description, owner }) => [name, description, owner.username]),
    recordsOf('projects').map(
      ({ name, description, owner_id }) => [name, description, owners.get(owner_id)],
    ),
  );
  assert.deepEqual(
    (await list('audit_events')).map(({ action, details }) => [action, details]),
    recordsOf('audit_events').map(({ action, details }) => [action, details]),
  );
  const { json } = await service.call('GET /api/v1/tokens', { as: TOKEN });
  assert.deepEqual(json['tokens'].map(({ id }: { id: number }) => id), [1, 2, 4]);
});

test('After an import, the trail finds the acts of deleted users by their names', async (t) => {
  const service = await startService(t, {}, await importReleased(t));
  const root = await service.registerAdministrator('auditor');
  const { json } = await service.call(`GET /api/v1/audit_events?username=${encodeURIComponent('名前')}`, {
    as: root,
  });
  assert.deepEqual(json['audit_events'].map(({ action }: { action: string }) => action), [
    'user.create', 'project.create', 'user.delete',
  ]);
});
