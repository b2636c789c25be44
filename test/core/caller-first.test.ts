/** Tests that the caller is known before a record is read, so refused callers learn nothing about records. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { createToken } from '../../src/model/token.ts';
import { startCore } from '../support/core.ts';
import { openTestDatabase, withMethods } from '../support/database.ts';
import { each } from '../support/each.ts';
import { basic } from '../support/http-client.ts';

const UNKNOWN_TOKEN = `Bearer ${createToken().text}`;

each('A request with {0} is refused without any read', [
  ['no credentials', undefined],
  ['a mistyped token', `${UNKNOWN_TOKEN.slice(0, -1)}!`],
  ['a scheme that does not exist', 'Digest username="ada"'],
], async ([, as], t) => {
  const { service, watch } = await start(t);
  await service.expect(401, 'GET /api/v1/projects/notes', { as });
  assert.deepEqual(watch.reads, []);
});

test('A throttled password is refused without any question to the database', async (t) => {
  const { service, watch } = await start(t, { failuresPerNameMax: 1, failuresPerNetworkMax: 2 });
  for (const [name, status] of [['ada', 401], ['ada', 429], ['bob', 401], ['eve', 429]] as const) {
    [watch.reads, watch.writes] = [[], 0];
    await service.expect(status, 'GET /api/v1/projects/notes', { as: basic(name, 'wrong') });
    assert.ok(status === 401 || watch.reads.length + watch.writes === 0, name);
  }
});

each('GET {0} reads a record only for a known caller, and is 503 if it cannot', [
  '/api/v1/users/ada', '/api/v1/projects/notes',
], async (path, t) => {
  const { service, token, watch } = await start(t);
  await service.expect(401, `GET ${path}`, { as: UNKNOWN_TOKEN });
  assert.deepEqual(watch.reads.map((sql) => /FROM (\w+)/.exec(sql)?.[1]), ['tokens']);
  watch.failing = /FROM (projects|users) [^]*(name_key|username_key) = /;
  await service.expect(503, `GET ${path}`, { as: token });
});

interface Watch {
  /** The SQL statements of all reads. */
  reads: readonly string[];
  writes: number;
  /** A read fails if its SQL statement matches the pattern. */
  failing: RegExp | undefined;
}

/** Starts a core with the user ada, who owns the project "notes". */
async function start(context: TestContext, overrides = {}) {
  const database = await openTestDatabase(context);
  const watch: Watch = { reads: [], writes: 0, failing: undefined };
  const watched = withMethods(database, {
    async read(statement, consistency) {
      watch.reads = [...watch.reads, statement.sql];
      if (watch.failing?.test(statement.sql)) {
        throw new DatabaseUnavailableError('No answer');
      }
      return database.read(statement, consistency);
    },
    write(statements) {
      watch.writes += 1;
      return database.write(statements);
    },
    change(...change) {
      watch.writes += 1;
      return database.change(...change);
    },
  });
  const service = await startCore(context, { shared: watched, overrides });
  const token = await service.registerWithToken('ada');
  await service.createProject(token, 'notes');
  watch.reads = [];
  return { service, token, watch };
}
