/** The data dictionary. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { schema } from '../../src/stores/schema.ts';

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
