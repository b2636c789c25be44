import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal, problemReply, problems, refuse, type ProblemName } from '../../src/api/problems.ts';
import { exampleOf } from '../../src/extras/documents/problems.ts';
import { problemTypes } from '../../src/extras/documents/problems.ts';

const names = Object.keys(problems) as ProblemName[];

// spec 7-7
test('A problem is a JSON object with its type, title, status, detail and the id of the request', () => {
  const { status, headers, body } = problemReply(refuse('noSuchUser'), 'id-1', '/base');
  assert.equal(status, 404);
  assert.deepEqual(headers, { 'Content-Type': 'application/problem+json; charset=utf-8' });
  assert.deepEqual(JSON.parse(String(body)), {
    type: '/base/static/problems.html#not-found', title: 'Not found', status: 404, detail: 'No such user',
    request_id: 'id-1',
  });
});

test('isRefusal accepts refusals only', () => {
  assert.equal(isRefusal(refuse('busy', 1)), true);
  for (const other of [undefined, null, 'refused', { status: 200 }, []]) {
    assert.equal(isRefusal(other), false);
  }
});

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
