import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPerson, toSearch } from '../../../scripts/bench/population.ts';

for (const userCount of [1000, 1234, 10_000]) {
  test(`All ${userCount} users have different names, and every second user owns 1 to 3 projects`, () => {
    const people = Array.from({ length: userCount }, (_, index) => toPerson(index, userCount));
    assert.equal(new Set(people.map(({ username }) => username)).size, userCount);
    assert.deepEqual([...new Set(people.map(({ projectCount }) => projectCount))].sort(), [0, 1, 2, 3]);
    assert.equal(people.filter(({ projectCount }) => projectCount > 0).length, userCount / 2);
  });

  test(`Among ${userCount} users each selective search finds the twenty planted users`, () => {
    const usernames = Array.from({ length: userCount }, (_, index) => toPerson(index, userCount).username);
    for (const name of ['contains', 'starts-with', 'ends-with', 'prefix-and-suffix'] as const) {
      assert.equal(toSearch(name, usernames).matchCount, 20, name);
    }
  });
}
