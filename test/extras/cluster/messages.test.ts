import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeStatement, readAnswer, toRows } from '../../../src/extras/cluster/messages.ts';

test('Statements are sent with their parameters as values', () => {
  assert.deepEqual(JSON.parse(encodeStatement({ sql: 'SELECT 1', parameters: [] })), ['SELECT 1']);
  const parameters = ['"\0ü', Number.MAX_SAFE_INTEGER, null];
  const text = encodeStatement({ sql: 'SELECT ?, ?, ?', parameters });
  assert.deepEqual(JSON.parse(text), ['SELECT ?, ?, ?', ...parameters]);
});

test('A row is read as an object with a member for each column', () => {
  assert.deepEqual(rowsOf('{"columns":["id","name"],"values":[[1,"ann"],[2,null]]}'), [
    { id: 1, name: 'ann' }, { id: 2, name: null },
  ]);
  assert.deepEqual(rowsOf('{"columns":["id"]}'), []);
  assert.deepEqual(rowsOf('{}'), []);
});

for (const value of ['9007199254740993', '-9007199254740992']) {
  test(`The value ${value} is refused, not rounded`, () => {
    assert.throws(
      () => rowsOf(`{"columns":["id"],"values":[[${value}]]}`), /Cannot read a value of the database/,
    );
  });
}

function rowsOf(result: string) {
  const answer = readAnswer(200, `{"results":[${result}]}`);
  assert(answer.kind === 'answered' && answer.results[0] !== undefined);
  return toRows(answer.results[0]);
}
