/** The tables of the schema, and the version of the schema that a database has. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { schema } from '../../src/stores/schema.ts';

/** The digest of the tables of each version. If the tables change, raise the version and add its digest. */
const DIGESTS: Readonly<Record<number, string>> = {
  2: '6e22f29678cb89a4d5c3a4cd14bd7a1d834d302128439bb59eeacdb0c291c62c',
  3: 'b9666b8282541424e7c9f39affcd59450d96d4f2a8743a45a32b5de56a71c439',
  4: 'dda1b7f5aad96a4599db57b2a0c56c8b0c01669c70e3446ed9230c3ff25b3c17',
  5: 'fa0a5f19ea40a8482fe58eebcc079436e6e41c2784cb2d4fa0297d11d28f3687',
  6: '549c339a027dc511c8ebb307b75402b1f90193a2216699d4e826cd3070d0bd0e',
  7: 'ae8ef83acaf2ce64660d8afdf6aba04191ab08f2f21ef2a24f37ef5c2b7b7f62',
};

test('The tables are those of their version, so a database with others is refused at the start', () => {
  const statements = [...schema.statements, ...schema.againstReplacing];
  const digest = createHash('sha256').update(statements.join('\n')).digest('hex');
  assert.equal(digest, DIGESTS[schema.version]);
});

test('The data dictionary has every column of every table', () => {
  const database = new DatabaseSync(':memory:');
  schema.statements.forEach((statement) => database.exec(statement));
  const columns = database.prepare(`
    SELECT tables.name AS "table", columns.name AS column
    FROM pragma_table_list AS tables JOIN pragma_table_xinfo(tables.name) AS columns
    WHERE tables.schema = 'main' AND tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`).all();
  assert.ok(columns.length > 40);
  const dictionary = readDictionary();
  for (const { table, column } of columns) {
    assert.ok(dictionary.get(String(table))?.includes(String(column)), `${table}.${column} is not described`);
  }
});

/** Reads the columns by table. A name of a table may go on in the next row, after `_`. */
function readDictionary(): ReadonlyMap<string, readonly string[]> {
  const source = readFileSync(new URL('../../src/stores/schema.ts', import.meta.url), 'utf8');
  const dictionary = new Map<string, string[]>();
  let table = '';
  for (const [, name = '', columns = ''] of source.matchAll(/^ \* \| *(\w*) *\| *([\w, ]*?) *\|/gm)) {
    const described = dictionary.get(table);
    if (table.endsWith('_') && described !== undefined) {
      dictionary.delete(table);
      table += name;
      dictionary.set(table, described);
    } else {
      table = name || table;
    }
    dictionary.set(table, [...dictionary.get(table) ?? [], ...columns.split(/, */)]);
  }
  return dictionary;
}
