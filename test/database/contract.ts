import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Database, Row, SqlValue } from '../../src/database/database.ts';
import { readColumn, sql } from '../support/sql.ts';

/** @param open - Opens an empty database, which the tests close. */
export function describeDriver(name: string, open: (context: TestContext) => Promise<Database>): void {
  for (const [title, check] of Object.entries(contract)) {
    test(`${name}: ${title}`, async (context) => {
      const database = await open(context);
      await database.write(TABLES.map((table) => sql(`CREATE TABLE ${table} STRICT`)));
      await check(database).finally(() => database.close());
    });
  }

  test(`${name}: a closed database refuses to read and to write`, async (context) => {
    const database = await open(context);
    await database.close();
    await assert.rejects(database.read(sql('SELECT 1')));
    await assert.rejects(database.write([sql('SELECT 1')]));
  });
}

const MAX = Number.MAX_SAFE_INTEGER;
const NAMES = 'SELECT name FROM people ORDER BY id';
const INSERT = 'INSERT INTO people (name, age) VALUES (?, ?)';
/** This statement changes no row, so `change` also runs the query `readBack`. */
const NOTHING = sql('DELETE FROM people WHERE FALSE');

const contract: Readonly<Record<string, (database: Database) => Promise<void>>> = {
  async 'rows are in the order of the statement, with its column names'(database) {
    await database.write([sql(INSERT, 'ann', 1), sql(INSERT, 'bob', 2), sql(INSERT, 'eve', 3)]);
    const text = 'SELECT name, age * 2 AS twice FROM people WHERE age <> ? ORDER BY id DESC';
    assert.deepEqual(await read(database, text, 2), [{ name: 'eve', twice: 6 }, { name: 'ann', twice: 2 }]);
  },

  async 'text and integers are read as they were written, and NULL as null'(database) {
    const texts = ['', ' ', 'Zoë', 'Zoe\u0308', '🗝️👩‍👩‍👧', '日本', '\r\n\t', `'";--\\%_?`, 'x'.repeat(100_000)];
    for (const name of texts) {
      const readBack = sql('SELECT name, age FROM people WHERE name = ?', name);
      const { row } = await database.change([NOTHING, sql(INSERT, name, null)], readBack);
      const rows = [row ?? {}, ...await database.read(readBack)];
      assert.deepEqual(plain(rows), Array(2).fill({ name, age: null }));
    }
    for (const age of [0, 1, -1, 2 ** 31, 2 ** 32, MAX, -MAX]) {
      await database.write([sql(INSERT, String(age), age)]);
      assert.deepEqual(await read(database, 'SELECT age FROM people WHERE age = ?', age), [{ age }]);
    }
  },

  async 'an integer that is not safe is refused, not rounded'(database) {
    for (const age of ['9007199254740993', '-9007199254740992']) {
      await database.write([sql(`INSERT INTO people (name, age) VALUES (?, ${age})`, age)]);
      await assert.rejects(database.read(sql('SELECT age FROM people WHERE name = ?', age)));
    }
  },

  async 'text is compared and measured by code points'(database) {
    const [row] = await read(
      database, 'SELECT ? = ? AS same, length(?) AS size, substr(?, 2) AS tail', 'a', 'A', '🗝é', '🗝é',
    );
    assert.deepEqual(row, { same: 0, size: 2, tail: 'é' });
  },

  async 'a change counts the rows that each statement changed, without those of triggers'(database) {
    await database.write([sql(`
      CREATE TRIGGER pet_of_person AFTER INSERT ON people BEGIN
        INSERT INTO pets (owner_id) VALUES (new.id);
      END`)]);
    const { counts } = await database.change([
      sql(`${INSERT}, (?, ?)`, 'ann', 1, 'bob', 2),
      sql(`${INSERT} ON CONFLICT (name) DO NOTHING`, 'ann', 1),
      sql('UPDATE people SET age = 9'),
      sql('DELETE FROM people WHERE age = 8'),
      sql('DELETE FROM pets'),
    ]);
    assert.deepEqual(counts, [2, 0, 2, 0, 2]);
  },

  async 'a change reads its row back, unless its first statement changed rows'(database) {
    const refuse = (isRefused: number) =>
      sql("INSERT INTO people (name) SELECT 'refusal' WHERE ?", isRefused);
    const insert = sql(INSERT, 'ann', 1);
    const readBack = sql('SELECT name FROM people WHERE name = ?', 'ann');
    const refused = await database.change([refuse(1), insert], readBack);
    assert.deepEqual(refused, { counts: [1, 1], row: undefined });
    const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
    const changes = await Promise.all(names.map((name) => database.change(
      [refuse(0), sql(INSERT, name, 1)], sql('SELECT name FROM people WHERE name = ?', name),
    )));
    const outcomes = changes.map(({ counts, row }) => [counts, row?.['name']]);
    assert.deepEqual(outcomes, names.map((name) => [[0, 1], name]));
  },

  async 'a condition in a statement sees the changes of earlier statements in the batch'(database) {
    const first = sql('INSERT INTO people (name) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM people)', 'ann');
    const next = 'INSERT INTO people (name) SELECT ? WHERE changes() > 0';
    const { counts } = await database.change([first, sql(next, 'bob'), first, sql(next, 'cid')]);
    assert.deepEqual(counts, [1, 1, 0, 0]);
  },

  async 'a batch with a failing statement at any position has no effect, even if a row is read'(database) {
    await database.write([sql(INSERT, 'taken', 1)]);
    for (const failing of [
      sql(INSERT, 'taken', 2),
      sql(INSERT, 'unlucky', -13),
      sql(INSERT, null, 1),
      sql(INSERT, 'text', 'no integer'),
      sql('INSERT INTO pets (owner_id) VALUES (?)', 42),
      sql('DELETE FROM nowhere'),
      sql('DELETE FROM'),
    ]) {
      for (const place of [0, 1, 2]) {
        const batch = [
          sql(INSERT, 'other', 1), sql("UPDATE people SET name = 'changed' WHERE name = 'other'"),
        ].toSpliced(place, 0, failing);
        await assert.rejects(database.write(batch));
        await assert.rejects(database.change(batch, sql('SELECT name FROM people')));
        assert.deepEqual(await readColumn(database, NAMES), ['taken'], `${failing.sql} at place ${place}`);
      }
    }
    await database.write([sql(INSERT, 'next', 1)]);
    assert.deepEqual(await readColumn(database, NAMES), ['taken', 'next']);
  },

  async 'a malformed question is refused, and parameters are never SQL'(database) {
    await assert.rejects(database.read(sql('SELECT nothing FROM people')));
    await database.write([sql(INSERT, `'); DROP TABLE people; --`, 1)]);
    assert.deepEqual(await read(database, 'SELECT name FROM people WHERE name = ?', "' OR 1=1 --"), []);
  },

  async 'foreign keys are enforced: RESTRICT refuses, CASCADE deletes'(database) {
    await database.write([sql(INSERT, 'ann', 1), sql('INSERT INTO pets (owner_id) VALUES (?)', 1)]);
    await assert.rejects(database.write([sql('DELETE FROM people')]));
    await database.write([sql('INSERT INTO toys (pet_id) VALUES (?)', 1), sql('DELETE FROM pets')]);
    assert.deepEqual(await readColumn(database, 'SELECT count(*) FROM toys'), [0]);
  },

  async 'an id is not reused after its row is deleted'(database) {
    await database.write([sql(INSERT, 'ann', 1), sql('DELETE FROM people'), sql(INSERT, 'bob', 1)]);
    assert.deepEqual(await read(database, 'SELECT id FROM people'), [{ id: 2 }]);
  },

  async 'every read sees each acknowledged write of its process, also of concurrent writes'(database) {
    const counting = sql('SELECT count(*) AS count FROM people');
    let count = 0;
    for (const concurrent of [...Array(50).fill(1), ...Array(10).fill(10)]) {
      await Promise.all(Array.from({ length: concurrent }, () => {
        count += 1;
        return database.write([sql(INSERT, String(count), 1)]);
      }));
      assert.deepEqual(plain(await database.read(counting, 'recent')), [{ count }]);
      assert.deepEqual(plain(await database.read(counting)), [{ count }]);
    }
  },

  async 'of 100 concurrent batches, failing ones do not affect the others, which run one by one'(database) {
    const add = (name: string) => [
      sql('INSERT INTO people (name, age) SELECT ?, 1 + coalesce(max(age), 0) FROM people', name),
    ];
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => database.write([
      ...add(`one ${index}`), ...add(index % 5 === 0 ? `one ${index}` : `two ${index}`),
    ])));
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'rejected'), outcomes.map((_, index) => index % 5 === 0),
    );
    const ages = await readColumn(database, 'SELECT age FROM people ORDER BY id');
    assert.deepEqual(ages, Array.from({ length: 160 }, (_, index) => index + 1));
  },
};

const TABLES = [
  'people (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, age INTEGER CHECK (age <> -13))',
  'pets (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES people (id) ON DELETE RESTRICT)',
  'toys (pet_id INTEGER NOT NULL REFERENCES pets (id) ON DELETE CASCADE)',
];

const read = async (database: Database, text: string, ...parameters: readonly SqlValue[]) =>
  plain(await database.read(sql(text, ...parameters)));

/** Copies rows into plain objects, because the prototype of a row depends on the driver. */
function plain(rows: readonly Row[]): readonly Row[] {
  return rows.map((row) => ({ ...row }));
}
