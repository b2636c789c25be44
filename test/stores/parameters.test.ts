/**
 * If a `?` in `LIMIT` has no `+` before it, SQLite compiles the statement again for each new value. SQLite
 * 3.54 does the same for a `?` in a join.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCore } from '../support/core.ts';

test('every parameter in SQL has a plus sign, so SQLite does not compile statements again', async (t) => {
  const { database, expect, registerWithToken } = await startCore(t);
  const [reads, changes] = [t.mock.method(database, 'read').mock, t.mock.method(database, 'change').mock];
  const as = await registerWithToken('ada');
  const json = { name: 'engine' };
  await expect(201, 'POST /api/v1/projects', { as, json });
  await expect(200, 'PATCH /api/v1/projects/engine', { as, json: { description: 'of brass' } });
  for (const path of ['users/ada', 'users?contains=a', 'projects?owner=ada', 'projects/engine']) {
    await expect(200, `GET /api/v1/${path}`, { as });
  }
  await expect(200, 'DELETE /api/v1/projects/engine', { as });
  await expect(200, 'DELETE /api/v1/token', { as });
  const statements = [
    ...reads.calls.map(({ arguments: [statement] }) => statement),
    ...changes.calls.flatMap(({ arguments: [batch, readBack] }) => readBack ? [...batch, readBack] : batch),
  ];
  const texts = new Set(statements.filter(({ parameters: { length } }) => length > 0).map(({ sql }) => sql));
  assert(texts.size >= 20, `only ${texts.size} statements`);
  assert.deepEqual([...texts].filter((sql) => /(?<!\+)\?/.test(sql)), []);
});
