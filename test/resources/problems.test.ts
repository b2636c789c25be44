import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  problems, problemTypes, slugOf, type ProblemName, type ProblemSlug,
} from '../../src/api/problems.ts';
import { isRefusal, problemReply, refuse } from '../../src/api/refusal.ts';
import { exampleOf } from '../../src/extras/documents/problems.ts';

const place = { requestId: 'id-1', typeUri: (slug: ProblemSlug) => `/problems#${slug}` };
const names = Object.keys(problems) as ProblemName[];

function bodyOf(refusal: ReturnType<typeof refuse>) {
  return JSON.parse(problemReply(refusal, place).body.toString());
}

// spec 7-7
test('A problem is a JSON object with its type, title, status, detail and the id of the request', () => {
  const { status, headers } = problemReply(refuse('noSuchUser'), place);
  assert.equal(status, 404);
  assert.deepEqual(headers, { 'Content-Type': 'application/problem+json; charset=utf-8' });
  assert.deepEqual(bodyOf(refuse('noSuchUser')), {
    type: '/problems#not-found', title: 'Not found', status: 404, detail: 'No such user', request_id: 'id-1',
  });
});

test('isRefusal accepts refusals only', () => {
  assert.equal(isRefusal(refuse('busy', 1)), true);
  for (const other of [undefined, null, 'refused', { status: 200 }, []]) {
    assert.equal(isRefusal(other), false);
  }
});

test('No two problems share a sentence', () => {
  const sentences = names.map((name) => exampleOf(name).detail);
  assert.deepEqual([...new Set(sentences)], sentences);
});

test('Each problem type is used, and has a slug, an error status and a title', () => {
  const used = new Set(names.map((name) => slugOf(name)));
  assert.deepEqual(Object.keys(problemTypes).filter((slug) => !used.has(slug as ProblemSlug)), []);
  for (const [slug, { status, title }] of Object.entries(problemTypes)) {
    assert.match(slug, /^[a-z]+(-[a-z]+)*$/);
    assert.ok(status >= 400 && status < 600 && title.length > 3, slug);
  }
});
