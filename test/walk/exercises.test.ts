/** The answers of the exercises are true: each change is made in a copy of the sources. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exercises } from './exercises.ts';
import { runExercise } from './run-exercise.ts';

test('there are ten exercises', () => {
  assert.equal(exercises.length, 10);
});

for (const [index, exercise] of exercises.entries()) {
  test(`after exercise ${index + 1} exactly the named tests fail: ${exercise.title}`, async () => {
    assert.deepEqual(await runExercise(exercise), exercise.failing);
    if (exercise.unaffected !== undefined) {
      assert.deepEqual(await runExercise({ ...exercise, testFile: exercise.unaffected }), []);
    }
  });
}

test('a change that does not compile is no answer', async () => {
  const file = 'src/model/name.ts';
  const change = { file, find: 'foldCase(codePoint', replace: '(', testFile: 'test/model/name.test.ts' };
  await assert.rejects(runExercise(change), /No test ran/);
});
