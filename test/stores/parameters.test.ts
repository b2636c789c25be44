/** SQLite 3.54 compiles a join again for each new value of a parameter, unless a `+` is before the `?`. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startCore } from '../support/core.ts';

test('every parameter in SQL has a plus sign, so SQLite does not compile statements again', async (t) => {
  const { mock } = t.mock.method(DatabaseSync.prototype, 'prepare');
  const { expect, registerWithToken } = await startCore(t);
  const as = await registerWithToken('ada');
  const json = { name: 'engine' };
  await expect(201, 'POST /api/v1/projects', { as, json });
  await expect(200, 'PATCH /api/v1/projects/engine', { as, json: { description: 'of brass' } });
  for (const path of ['users/ada', 'users?contains=a', 'projects?owner=ada', 'projects/engine']) {
    await expect(200, `GET /api/v1/${path}`, { as });
  }
  await expect(200, 'DELETE /api/v1/projects/engine', { as });
  await expect(200, 'DELETE /api/v1/token', { as });
  const statements = mock.calls.map(({ arguments: [sql] }) => sql).filter((sql) => sql.includes('?'));
  assert(statements.length >= 20, `only ${statements.length} statements`);
  assert.deepEqual(statements.filter((sql) => /(?<!\+)\?/.test(sql)), []);
});
