/**
 * Tests the core without extras. The caller is known before a record is read, so refused callers learn
 * nothing about records.
 */
import assert from 'node:assert/strict';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { createToken } from '../../src/model/token.ts';
import { startCore } from '../support/core.ts';
import { openTestDatabase, withMethods } from '../support/database.ts';
import { starting, type Overrides } from '../support/each.ts';
import { basic } from '../support/http-client.ts';

const UNKNOWN_TOKEN = `Bearer ${createToken().text}`;

interface Watch {
  /** The SQL statements of all reads. */
  reads: readonly string[];
  writes: number;
  /** A read fails if its SQL statement matches the pattern. */
  failing: RegExp | undefined;
}

/** Defines a test with a core in which the user ada owns the project "notes". */
const watched = starting(async (context, overrides?: Overrides) => {
  const own = await openTestDatabase(context);
  const watch: Watch = { reads: [], writes: 0, failing: undefined };
  const database = withMethods(own, {
    async read(statement, consistency) {
      watch.reads = [...watch.reads, statement.sql];
      if (watch.failing?.test(statement.sql)) {
        throw new DatabaseUnavailableError('No answer');
      }
      return own.read(statement, consistency);
    },
    write(statements) {
      watch.writes += 1;
      return own.write(statements);
    },
    change(...change) {
      watch.writes += 1;
      return own.change(...change);
    },
  });
  const service = await startCore(context, { shared: database, overrides: overrides ?? {} });
  const token = await service.registerWithToken('ada');
  await service.createProject(token, 'notes');
  watch.reads = [];
  return { service, token, watch };
});

watched.each('A request with {0} is refused without any read', [
  ['no credentials', undefined],
  ['a mistyped token', `${UNKNOWN_TOKEN.slice(0, -1)}!`],
  ['a scheme that does not exist', 'Digest username="ada"'],
], async ({ service, watch }, [, as]) => {
  await service.expect(401, 'GET /api/v1/projects/notes', { as });
  assert.deepEqual(watch.reads, []);
});

watched('A throttled password is refused without any read or write', async ({ service, watch }) => {
  for (const [name, status] of [['ada', 401], ['ada', 429], ['bob', 401], ['eve', 429]] as const) {
    [watch.reads, watch.writes] = [[], 0];
    await service.expect(status, 'GET /api/v1/projects/notes', { as: basic(name, 'wrong') });
    assert.ok(status === 401 || watch.reads.length + watch.writes === 0, name);
  }
}, { failuresPerNameMax: 1, failuresPerNetworkMax: 2 });

watched.each('GET {0} reads a record only for a known caller, and is 503 if it cannot', [
  '/api/v1/users/ada', '/api/v1/projects/notes',
], async ({ service, token, watch }, path) => {
  await service.expect(401, `GET ${path}`, { as: UNKNOWN_TOKEN });
  assert.deepEqual(watch.reads.map((sql) => /FROM (\w+)/.exec(sql)?.[1]), ['tokens']);
  watch.failing = /FROM (projects|users) [^]*(name_key|username_key) = /;
  await service.expect(503, `GET ${path}`, { as: token });
});

watched('The core alone has tokens, no description and no metrics', async ({ service, token: as }) => {
  await service.expect(200, 'DELETE /api/v1/token', { as });
  await service.expect(401, 'GET /api/v1/projects', { as });
  for (const path of ['/api/v1/openapi.json', '/static/openapi.json', '/metrics']) {
    await service.expect(404, `GET ${path}`);
  }
}, { metrics: 'on' });
