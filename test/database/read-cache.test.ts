import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row, Statement } from '../../src/database/database.ts';
import { ReadCache } from '../../src/database/read-cache.ts';

const CONDITION = createStatement('condition');

function createStatement(sql: string, ...parameters: readonly string[]): Statement {
  return { sql, parameters };
}

/**
 * A cache above a simulated database. The condition returns `state`; every statement returns rows, except
 * `nothing`.
 */
function createWorld() {
  const cache = new ReadCache();
  const world = { state: 0, commits: 0, asked: [] as string[] };
  const run = ({ sql, parameters }: Statement): readonly Row[] => {
    world.asked.push(sql);
    return sql === 'nothing' ? [] : [{ answer: sql === 'condition' ? world.state : parameters.join('+') }];
  };
  return {
    world,
    /** @returns The statements that reached the database. */
    read(sql: string, ...parameters: readonly string[]): readonly string[] {
      world.asked = [];
      const rows = cache.read(createStatement(sql, ...parameters), CONDITION, world.commits, run);
      assert.deepEqual(rows, sql === 'nothing' ? [] : [{ answer: parameters.join('+') }]);
      return world.asked;
    },
  };
}

test('Rows are read once for each statement and its parameters', () => {
  const { read } = createWorld();
  read('first');
  for (const [sql, ...parameters] of [['a', '1'], ['a', '2'], ['a1', ''], ['a', '1', '']] as const) {
    assert.deepEqual(read(sql, ...parameters), [sql]);
    assert.deepEqual(read(sql, ...parameters), []);
  }
});

test('After a commit the condition is read once, and the rows only if the condition changed', () => {
  const { world, read } = createWorld();
  assert.deepEqual(read('a', '1'), ['condition', 'a']);
  world.commits += 1;
  assert.deepEqual(read('a', '1'), ['condition']);
  assert.deepEqual(read('a', '1'), []);
  world.commits += 1;
  world.state += 1;
  assert.deepEqual(read('a', '1'), ['condition', 'a']);
  assert.deepEqual(read('a', '1'), []);
});

test('Rows cached in one state are not returned in another, even if a state comes back', () => {
  const { world, read } = createWorld();
  for (const state of [1, 2, 1]) {
    world.commits += 1;
    world.state = state;
    assert.deepEqual(read('a', '1'), ['condition', 'a']);
  }
});

test('Misses are not cached', () => {
  const { read } = createWorld();
  assert.deepEqual(read('nothing'), ['condition', 'nothing']);
  assert.deepEqual(read('nothing'), ['nothing']);
});

test('A thousand reads are cached; beyond that, the oldest are evicted', () => {
  const { read } = createWorld();
  for (let number = 0; number < 1001; number += 1) {
    read('a', String(number));
  }
  assert.deepEqual([read('a', '1'), read('a', '1000'), read('a', '0')], [[], [], ['a']]);
});
