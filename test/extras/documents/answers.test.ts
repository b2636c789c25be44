/**
 * The check of responses against the OpenAPI document that all API tests use: it reports every part of a
 * response that the document lacks.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDocument } from '../../../src/extras/documents/openapi.ts';
import { readApiDocument, type Part } from '../../support/api-document.ts';
import { defaultConfig } from '../../support/config.ts';
import { operations } from '../../support/operations.ts';

const text = JSON.stringify(createDocument(operations, defaultConfig(), '1.0.0'));

const COMMON = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Count',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': '1',
};
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const { 'x-request-id': _, ...WITHOUT_ID } = { ...COMMON, ...JSON_TYPE };
const LIVE = {
  status: 200, headers: { ...COMMON, ...JSON_TYPE, 'date': 'today' }, text: '{"status":"live"}',
};

const PROBLEM = { headers: { ...COMMON, 'content-type': 'application/problem+json' } };
const TOO_LARGE = 'Too many header fields, or too large ones';

function toProblem(slug: string, status: number, title: string) {
  return JSON.stringify({
    type: `/static/problems.html#${slug}`, title, status, detail: 'x', request_id: '1',
  });
}

/** @param edit - Changes the response 200 of `GET /livez` in the document. */
function readEdited(edit: (response: Part) => void) {
  const document = JSON.parse(text);
  edit(document.paths['/livez'].get.responses);
  return readApiDocument(JSON.stringify(document));
}

test('a header field that the document does not list is a fault', () => {
  const headers = { ...LIVE.headers, 'remote-user': 'ada' };
  const faults = readApiDocument(text).findFaults('GET', '/livez', { ...LIVE, headers });
  assert.deepEqual(faults, ['the field remote-user']);
});

test('a response that matches the document has no faults', () => {
  assert.deepEqual(readApiDocument(text).findFaults('GET', '/livez?x=1', LIVE), []);
});

for (const [title, edit, fault] of [
  ['status', (responses: Part) => delete responses[200], 'the status 200'],
  [
    'media type', (responses: Part) => (responses[200].content = { 'text/plain': {} }),
    'the type application/json',
  ],
  ['content', (responses: Part) => delete responses[200].content, 'the type application/json'],
  [
    'member',
    (responses: Part) => (responses[200].content['application/json'].schema = {
      type: 'object', properties: {},
    }),
    'the content at "/status" is not allowed',
  ],
  [
    'word',
    (responses: Part) => (responses[200].content['application/json'].schema.properties.status.enum = [
      'alive',
    ]),
    'the content at "/status" must be "alive"',
  ],
] as const) {
  test(`a response with a ${title} that the document does not list is a fault`, () => {
    assert.deepEqual(readEdited(edit).findFaults('GET', '/livez', LIVE), [fault]);
  });
}

for (const [title, method, target, answer, faults] of [
  ['a field is missing', 'GET', '/livez', { ...LIVE, headers: WITHOUT_ID }, ['no field x-request-id']],
  [
    'a field has a value that is not listed',
    'GET',
    '/livez',
    { ...LIVE, headers: { ...LIVE.headers, 'cache-control': 'public' } },
    ['the value of the field cache-control'],
  ],
  ['a member is missing', 'GET', '/livez', { ...LIVE, text: '{}' }, ['the content at "/status" is required']],
  ['HEAD has content', 'HEAD', '/livez', LIVE, ['content after HEAD']],
  ['HEAD has the headers of GET', 'HEAD', '/livez', { ...LIVE, text: '' }, []],
  ['an unknown path is 200', 'GET', '/nowhere', LIVE, ['the status 200']],
  [
    'an unknown path is 404',
    'GET',
    '/nowhere',
    {
      status: 404,
      headers: { ...COMMON, 'content-type': 'application/problem+json' },
      text: toProblem('not-found', 404, 'Not found'),
    },
    [],
  ],
  [
    'the type of a problem does not fit its status',
    'GET',
    '/nowhere',
    {
      status: 404,
      headers: { ...COMMON, 'content-type': 'application/problem+json' },
      text: toProblem('busy', 503, 'The service is busy'),
    },
    [
      'the content at "/type" must be "/static/problems.html#not-found"',
      'the content at "/title" must be "Not found"',
      'the content at "/status" must be 404',
    ],
  ],
  [
    'an error that every request may get has its status', 'GET', '/livez',
    { ...PROBLEM, status: 431, text: toProblem('headers-too-large', 431, TOO_LARGE) }, [],
  ],
  [
    'an error that every request may get has the type of another status', 'GET', '/livez',
    { ...PROBLEM, status: 431, text: toProblem('target-too-long', 414, 'The URL is too long') },
    [
      'the content at "" matches 0 alternatives',
      'the content at "/type" must be "/static/problems.html#headers-too-large"',
      `the content at "/title" must be "${TOO_LARGE}"`, 'the content at "/status" must be 431',
    ],
  ],
  [
    'an operation without the database answers for the database', 'GET', '/livez',
    { ...PROBLEM, status: 503, text: toProblem('busy', 503, 'The service is busy') }, ['the status 503'],
  ],
  [
    'another method has no Allow',
    'PUT',
    '/livez',
    {
      status: 405,
      headers: { ...COMMON, 'content-type': 'application/problem+json' },
      text: toProblem('method-not-allowed', 405, 'Method not allowed'),
    },
    ['no field Allow'],
  ],
  [
    'OPTIONS has no Allow',
    'OPTIONS',
    '/livez',
    { status: 204, headers: COMMON, text: '' },
    [
      'no field Allow',
      'no field Access-Control-Allow-Methods',
      'no field Access-Control-Allow-Headers',
      'no field Access-Control-Max-Age',
    ],
  ],
] as const) {
  test(`if ${title}, ${faults.length === 0 ? 'nothing' : 'that'} is a fault`, () => {
    const found = readApiDocument(text).findFaults(method, target, answer);
    assert.deepEqual(
      found.map((fault) => fault.toLowerCase()),
      faults.map((fault) => fault.toLowerCase()),
    );
  });
}
