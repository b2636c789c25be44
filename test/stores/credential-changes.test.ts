/**
 * Callers are cached while `credential_changes` stays the same, so it must change with all data that is
 * cached.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createSchema } from '../../src/database/create-schema.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { schema } from '../../src/stores/schema.ts';
import { CREDENTIAL_CHANGES } from '../../src/stores/users.ts';
import { openTestDatabase } from '../support/database.ts';

async function start(t: TestContext) {
  const database = await openTestDatabase(t);
  await createSchema(database, schema, toTimestamp(0));
  const run = (...statements: readonly string[]) =>
    database.write(statements.map((sql) => ({ sql, parameters: [] })));
  await run(
    `INSERT INTO users (username, username_key, email, password_hash, date_created)
     VALUES ('ada', 'ada', '', '', ''), ('eve', 'eve', '', '', '')`,
    `INSERT INTO tokens (digest, user_id, name, last_four, scope, date_created, expires_at)
     VALUES ('1', 1, '', '', 'full', '', ''), ('2', 2, '', '', 'full', '', '')`,
    `INSERT INTO projects (name, name_key, description, owner_id, date_created) VALUES ('a', 'a', '', 1, '')`,
  );
  /** @returns By how much the statements raise `credential_changes`. */
  async function count(...statements: readonly string[]): Promise<number> {
    const [before] = await database.read(CREDENTIAL_CHANGES);
    await run(...statements);
    const [after] = await database.read(CREDENTIAL_CHANGES);
    return Number(after?.['count']) - Number(before?.['count']);
  }
  return { database, count };
}

/** Columns that a cached caller does not contain. */
const UNREMEMBERED = new Set(['project_count', 'listed_projects']);

for (const table of ['users', 'tokens']) {
  test(`The number changes with each column of ${table}, and with a deletion`, async (t) => {
    const { database, count } = await start(t);
    const columns = await database.read({
      sql: 'SELECT name FROM pragma_table_info(?) WHERE pk = 0',
      parameters: [table],
    });
    assert.ok(columns.length > 8);
    for (const { name } of columns) {
      const expected = UNREMEMBERED.has(String(name)) ? 0 : 1;
      assert.equal(await count(`UPDATE ${table} SET ${name} = ${name} WHERE id = 2`), expected, String(name));
    }
    assert.equal(await count('DELETE FROM tokens WHERE id = 2'), 1);
  });
}

test('The number changes with the deletion of a user, and of each token of the user', async (t) => {
  const { count } = await start(t);
  assert.equal(await count('DELETE FROM users WHERE id = 2'), 2);
});

test('The number stays the same when projects, events, users or tokens are inserted', async (t) => {
  const { count } = await start(t);
  assert.equal(await count(
    `INSERT INTO users (username, username_key, email, password_hash, date_created)
     VALUES ('x', 'x', '', '', '')`,
    `INSERT INTO tokens (digest, user_id, name, last_four, scope, date_created, expires_at)
     VALUES ('3', 1, '', '', 'full', '', '')`,
    "UPDATE projects SET description = 'new'",
    `INSERT INTO audit_events
       (occurred_at, action, resource_type, resource_name, details, sign_in, request_id, address)
     VALUES ('', '', '', '', '', 'none', '', '')`,
    'DELETE FROM projects',
  ), 0);
});
