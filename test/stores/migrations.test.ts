/** Data of an older version is as good as new after the migrations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createToken, toTokenDigest } from '../../src/auth/token.ts';
import { migrate } from '../../src/database/migrate.ts';
import { toTimestamp } from '../../src/model/clock.ts';
import { toNameKey } from '../../src/model/name.ts';
import { toGrams } from '../../src/stores/grams.ts';
import { migrations } from '../../src/stores/migrations.ts';
import { openTestDatabase } from '../support/database.ts';
import { startService } from '../support/service.ts';

test('users, projects and tokens of version 1 live on: the token signs in, is listed, and can be revoked', async (t) => {
  const database = await openTestDatabase(t);
  const now = toTimestamp(Date.parse('2025-12-31T00:00:00Z'));
  await migrate(database, migrations.slice(0, 1), now);
  const token = createToken();
  await database.write([
    { sql: `INSERT INTO users (username, username_key, username_grams, email, password_hash, date_created) VALUES ('Ada', 'ada', '', 'a@b', 'x', ?)`, parameters: [now] },
    { sql: `INSERT INTO projects (name, name_key, description, owner_id, owner_summary, date_created) VALUES ('P', 'p', '', 1, '{}', ?)`, parameters: [now] },
    { sql: 'INSERT INTO tokens (digest, user_id, date_created, expires_at) VALUES (?, 1, ?, ?)', parameters: [toTokenDigest(token), now, '2027-01-01T00:00:00.000Z'] },
  ]);
  const service = await startService(t, {}, database);
  const as = `Bearer ${token}`;
  const { json } = await service.call('GET /api/v1/user', { as });
  assert.deepEqual([json['username'], json['disabled'], json['projects'].length, json['token'].scope], ['Ada', false, 1, 'full']);
  assert.equal((await service.call('GET /api/v1/tokens', { as })).json['tokens'][0].last_four, '');
  assert.equal((await service.call('PATCH /api/v1/projects/p', { as, json: { name: 'Q' } })).status, 200);
  assert.equal((await service.call('DELETE /api/v1/tokens/1', { as })).status, 200);
  assert.equal((await service.call('GET /api/v1/user', { as })).status, 401);
});

test('the search index of version 2 is made anew, with the grams of today', async (t) => {
  const database = await openTestDatabase(t);
  await migrate(database, migrations.slice(0, 2), toTimestamp(0));
  const names = ['a', 'Zoë', 'ab', 'aaaaaaa', 'x._@+-y', '1a.', '日本語の名前', 'abcabcabc', '𐐀𐐀𐐀𐐀𐐀'].map(toNameKey);
  await database.write(names.map((name) => ({
    sql: "INSERT INTO users (username, username_key, username_grams, email, password_hash, date_created) VALUES (?, ?, 'old', '', '', '')",
    parameters: [name, name],
  })));
  await migrate(database, migrations, toTimestamp(0));
  const rows = await database.read({ sql: 'SELECT username_grams AS grams FROM users ORDER BY id', parameters: [] });
  const toSet = (text: unknown) => new Set(String(text).split(' '));
  assert.deepEqual(rows.map(({ grams }) => toSet(grams)), names.map((name) => toSet(toGrams(name))));
  const find = (term: string) => database.read({ sql: 'SELECT rowid AS id FROM users_search WHERE users_search MATCH ?', parameters: [term] });
  assert.deepEqual([(await find('"abca"')).map(({ id }) => id), await find('"old"')], [[8], []]);
  await database.write([{ sql: "DELETE FROM users WHERE username_key = 'abcabcabc'", parameters: [] }]);
  assert.deepEqual(await find('"abca"'), []);
});
