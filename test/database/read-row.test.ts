import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRow } from '../../src/database/database.ts';
import { each } from '../support/each.ts';

const ROW = { secret: 'x', count: 7, isOld: 0, name: '', note: null };
const COLUMNS = { count: 'integer', isOld: 'flag', name: 'text', note: 'text or null' } as const;

test('A row is read without the columns that the reader does not name', () => {
  assert.deepEqual(readRow(ROW, COLUMNS), { count: 7, isOld: false, name: '', note: undefined });
  const { isOld, note } = readRow({ ...ROW, isOld: 1, note: 'new' }, COLUMNS);
  assert.deepEqual([isOld, note], [true, 'new']);
});

each('The column "{0}" is refused if it is missing, or has a value such as {1}', [
  ['count', '7', null], ['isOld', 'true', null], ['name', 7, null], ['note', 7],
], ([column, ...values]) => {
  const { [column]: _, ...others } = ROW;
  for (const row of [others, ...values.map((value) => ({ ...ROW, [column]: value }))]) {
    const message = `The column "${column}" does not have the type "${COLUMNS[column]}"`;
    assert.throws(() => readRow(row, COLUMNS), { message });
  }
});
