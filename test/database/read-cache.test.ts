import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadCache } from '../../src/database/read-cache.ts';

test('Rows are loaded once for each statement, its parameters, and each state of the data', () => {
  const { read } = createWorld();
  const questions = [['a', '1'], ['a', '2'], ['a1', ''], ['a', '1', '']] as const;
  for (const [sql, ...parameters] of questions) {
    assert.equal(read(1, sql, ...parameters), 'loaded');
    assert.equal(read(1, sql, ...parameters), 'remembered');
  }
  assert.equal(read(2, 'a', '1'), 'loaded');
  assert.equal(read(1, 'a', '1'), 'loaded');
});

test('That nothing was found is not remembered', () => {
  const cache = new ReadCache();
  let loads = 0;
  const load = () => {
    loads += 1;
    return [];
  };
  cache.read({ sql: 'a', parameters: [] }, 1, load);
  cache.read({ sql: 'a', parameters: [] }, 1, load);
  assert.equal(loads, 2);
});

test('A thousand reads are remembered; of more, the oldest are forgotten', () => {
  const { read } = createWorld();
  for (let number = 0; number < 1001; number += 1) {
    read(1, 'a', String(number));
  }
  assert.deepEqual([read(1, 'a', '1'), read(1, 'a', '1000'), read(1, 'a', '0')], ['remembered', 'remembered', 'loaded']);
});

/** A cache, and how it comes by its rows. */
function createWorld() {
  const cache = new ReadCache();
  return {
    read(state: number, sql: string, ...parameters: readonly string[]): 'loaded' | 'remembered' {
      let how: 'loaded' | 'remembered' = 'remembered';
      const rows = cache.read({ sql, parameters }, state, () => {
        how = 'loaded';
        return [{ answer: `${sql} ${parameters.join(' ')}` }];
      });
      assert.equal(rows[0]?.['answer'], `${sql} ${parameters.join(' ')}`);
      return how;
    },
  };
}
