/** A database is served only if its tables, indexes and triggers are those that the program creates. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { createSchema, requireSchema, requireUpgradableSchema } from '../../src/database/create-schema.ts';
import { openDatabase } from '../../src/database/open.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { schema } from '../../src/stores/schema.ts';
import { createFolder } from '../support/programs.ts';
import { openTestDatabase } from '../support/database.ts';

const AT = toTimestamp(0);

/** @param change - SQL that somebody runs on the file between two starts. */
async function startAfter(t: TestContext, change: string): Promise<Error | undefined> {
  const path = `${createFolder(t)}/service.sqlite`;
  const open = () => openDatabase({ driver: 'sqlite', path, synchronous: 'full' });
  const first = await open();
  await createSchema(first, schema, AT);
  await first.close();
  const connection = new DatabaseSync(path, { defensive: false });
  connection.exec(change);
  connection.close();
  const database = await open();
  t.after(() => database.close());
  const outcomes = await Promise.allSettled([
    createSchema(database, schema, AT), requireSchema(database, schema),
    requireUpgradableSchema(database, schema),
  ]);
  const messages = new Set(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason.message) : '')),
  );
  assert.equal(messages.size, 1, 'a start, check and restore agree');
  const [message] = messages;
  return message === '' ? undefined : new Error(message);
}

const ADVICE = 'restore a backup that nobody has changed';

for (const [title, change, difference] of [
  [
    'a new trigger that makes administrators',
    'CREATE TRIGGER a AFTER INSERT ON users BEGIN UPDATE users SET is_admin = 1; END',
    'has a trigger "a" that this program does not create',
  ],
  [
    'another trigger under the name of ours',
    `DROP TRIGGER users_named; CREATE TRIGGER users_named AFTER INSERT ON users BEGIN
       UPDATE users SET is_admin = 1 WHERE id = new.id; END`,
    'has another trigger "users_named" than this program creates',
  ],
  ['a trail without its guard', 'DROP TRIGGER audit_events_stay', 'lacks the trigger "audit_events_stay"'],
  ['a missing index', 'DROP INDEX tokens_by_parent', 'lacks the index "tokens_by_parent"'],
  [
    'a further table', 'CREATE TABLE notes (a)', 'has a table "notes" that this program does not create',
  ],
  [
    'a further column', 'ALTER TABLE tokens ADD COLUMN a TEXT',
    'has another table "tokens" than this program creates',
  ],
  ['a view', 'CREATE VIEW v AS SELECT 1', 'has a view "v" that this program does not create'],
  [
    'a table that looks like one of a search index', 'CREATE TABLE tokens_data (a)',
    'has a table "tokens_data" that this program does not create',
  ],
  [
    'a trigger on a table of the search index',
    'CREATE TRIGGER users_search_data AFTER INSERT ON users BEGIN SELECT 1; END',
    'has a trigger "users_search_data" that this program does not create',
  ],
  [
    'a trigger with a name that is reserved for SQLite',
    `PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_stat1', 'users', 0,
       'CREATE TRIGGER sqlite_stat1 AFTER INSERT ON users BEGIN UPDATE users SET is_admin = 1; END')`,
    'has a trigger "sqlite_stat1" that this program does not create',
  ],
] as const) {
  test(`A database with ${title} is refused, and the difference is named`, async (t) => {
    assert.equal((await startAfter(t, change))?.message, `The database ${difference}: ${ADVICE}`);
  });
}

for (const change of ['VACUUM', 'ANALYZE', 'REINDEX', 'PRAGMA optimize', 'PRAGMA wal_checkpoint(TRUNCATE)']) {
  test(`A database is accepted after ${change}`, async (t) => {
    assert.equal(await startAfter(t, change), undefined);
  });
}

test('A new database is accepted, also on a cluster', async (t) => {
  const database = await openTestDatabase(t);
  await createSchema(database, schema, AT);
  assert.deepEqual(await createSchema(database, schema, AT), { kind: 'existing' });
});
