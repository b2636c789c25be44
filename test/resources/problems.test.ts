import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problems, type ProblemName } from '../../src/api/problems.ts';
import { exampleOf } from '../../src/extras/documents/problems.ts';
import { problemTypes } from '../../src/extras/documents/problems.ts';

const names = Object.keys(problems) as ProblemName[];

test('No two problems share a sentence, and the example of each problem has its facts', () => {
  const sentences = names.map((name) => exampleOf(name).detail);
  assert.deepEqual([...new Set(sentences)], sentences);
  assert.deepEqual(sentences.filter((sentence) => /undefined|NaN/.test(sentence)), []);
});

test('Each problem type has a slug, an error status and a title', () => {
  for (const [slug, { status, title }] of problemTypes) {
    assert.match(slug, /^[a-z]+(-[a-z]+)*$/);
    assert.ok(status >= 400 && status < 600 && title.length > 3, slug);
  }
});
