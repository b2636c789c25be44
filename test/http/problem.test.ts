import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpProblem, toProblemReply } from '../../src/http/problem.ts';

const type = { slug: 'not-found', status: 404, title: 'The resource does not exist' };
const place = { requestId: 'id-1', toTypeUri: ({ slug }: { slug: string }) => `/problems/${slug}` };

// spec 7-7
test('A problem is a JSON object with its type, title, status, detail and the id of the request', () => {
  const { status, headers, body } = toProblemReply(new HttpProblem(type, 'There is no such user'), place);
  assert.equal(status, 404);
  assert.deepEqual(headers, { 'Content-Type': 'application/problem+json; charset=utf-8' });
  assert.deepEqual(JSON.parse(body.toString()), {
    type: '/problems/not-found',
    title: 'The resource does not exist',
    status: 404,
    detail: 'There is no such user',
    request_id: 'id-1',
  });
});

test('The parts of a problem are its errors, in their order', () => {
  const parts = [
    { pointer: '/email', keyword: 'format', message: 'must be an e-mail address' },
    { pointer: '', keyword: 'required', message: 'must have "username"' },
  ];
  const { body } = toProblemReply(new HttpProblem(type, 'detail', { parts }), place);
  assert.deepEqual(JSON.parse(body.toString()).errors, parts);
});

test('A problem without parts has no errors, and one with an empty list has an empty list', () => {
  const bodies = [new HttpProblem(type, 'detail'), new HttpProblem(type, 'detail', { parts: [] })]
    .map((problem) => JSON.parse(toProblemReply(problem, place).body.toString()));
  assert.deepEqual(bodies.map((body) => body.errors), [undefined, []]);
});

test('The fields of a problem go into its answer', () => {
  const { headers } = toProblemReply(new HttpProblem(type, 'detail', { headers: { 'Retry-After': '5' } }), place);
  assert.equal(headers['Retry-After'], '5');
  assert.equal(headers['Content-Type'], 'application/problem+json; charset=utf-8');
});

test('Neither the stack nor the cause of a problem is in its answer', () => {
  const problem = new HttpProblem(type, 'detail');
  problem.cause = new Error('SELECT secret');
  assert.doesNotMatch(toProblemReply(problem, place).body.toString(), /secret|HttpProblem|problem\.test/);
});
