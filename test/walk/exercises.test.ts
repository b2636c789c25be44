import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTests, withCopy, withMutation, type Mutation } from '../support/mutants.ts';
import { exercises } from './exercises.ts';

function findFailing(mutation: Mutation): Promise<readonly string[]> {
  return withCopy((folder) => withMutation(
    folder, mutation, async () => (await runTests(folder, mutation.testFile)).failed,
  ));
}

for (const [index, exercise] of exercises.entries()) {
  test(`after exercise ${index + 1} exactly the named tests fail: ${exercise.title}`, async () => {
    assert.deepEqual(await findFailing(exercise), exercise.failing);
    if (exercise.unaffected !== undefined) {
      assert.deepEqual(await findFailing({ ...exercise, testFile: exercise.unaffected }), []);
    }
  });
}

test('a change that does not compile is no answer', async () => {
  const file = 'src/model/name.ts';
  const change = { file, find: 'foldCase(codePoint', replace: '(', testFile: 'test/model/name.test.ts' };
  await assert.rejects(findFailing(change), /No test ran/);
});
