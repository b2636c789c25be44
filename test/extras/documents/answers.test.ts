/** Tests the function that compares each response in the API tests with the API document. */
import assert from 'node:assert/strict';
import { createDocument } from '../../../src/extras/documents/openapi.ts';
import { readApiDocument } from '../../support/api-document.ts';
import { defaultConfig } from '../../support/config.ts';
import { each } from '../../support/each.ts';
import { operations } from '../../support/operations.ts';

const text = JSON.stringify(createDocument(operations, defaultConfig(), '1.0.0'));

const COMMON = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Count',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': '1',
};
const FIELDS = { ...COMMON, 'content-type': 'application/json; charset=utf-8' };
const { 'x-request-id': _, ...WITHOUT_ID } = FIELDS;
const LIVE = { status: 200, headers: { ...FIELDS, 'date': 'today' }, text: '{"status":"live"}' };

const TOO_LARGE = 'The header fields are too many or too large';

function problem(slug: string, status: number, title: string) {
  const type = `/static/problems.html#${slug}`;
  return {
    status, headers: { ...COMMON, 'content-type': 'application/problem+json' },
    text: JSON.stringify({ type, title, status, detail: 'x', request_id: '1' }),
  };
}

each('if {0}, the faults are {4}', [
  ['everything matches the document', 'GET', '/livez?x=1', LIVE, []],
  ['a header field is not listed', 'GET', '/livez',
    { ...LIVE, headers: { ...FIELDS, 'remote-user': 'ada' } }, ['the field remote-user']],
  ['a field is missing', 'GET', '/livez', { ...LIVE, headers: WITHOUT_ID }, ['no field x-request-id']],
  ['a field has a value that is not listed', 'GET', '/livez',
    { ...LIVE, headers: { ...FIELDS, 'cache-control': 'public' } },
    ['the field cache-control, which must be text that matches ^no-(store|cache)$']],
  ['a member is missing', 'GET', '/livez', { ...LIVE, text: '{}' }, ['the content at "/status" is required']],
  ['a member is not listed', 'GET', '/livez', { ...LIVE, text: '{"status":"live","x":1}' },
    ['the content at "/x" is not allowed']],
  ['a member has another word', 'GET', '/livez', { ...LIVE, text: '{"status":"alive"}' },
    ['the content at "/status" must be "live"']],
  ['the status is not listed', 'GET', '/livez', { ...LIVE, status: 201 }, ['the status 201']],
  ['the media type is not listed', 'GET', '/livez',
    { ...LIVE, headers: { ...FIELDS, 'content-type': 'text/plain' } }, ['the type text/plain']],
  ['HEAD has content', 'HEAD', '/livez', LIVE, ['content after HEAD']],
  ['HEAD has the headers of GET', 'HEAD', '/livez', { ...LIVE, text: '' }, []],
  ['an unknown path is 200', 'GET', '/nowhere', LIVE, ['the status 200']],
  ['an unknown path is 404', 'GET', '/nowhere', problem('not-found', 404, 'Not found'), []],
  ['the type of a problem does not fit its status', 'GET', '/nowhere',
    { ...problem('busy', 503, 'The service is busy'), status: 404 },
    [
      'the content at "/type" must be "/static/problems.html#not-found"',
      'the content at "/title" must be "Not found"', 'the content at "/status" must be 404',
    ]],
  ['an error that every request may get has its status', 'GET', '/livez',
    problem('headers-too-large', 431, TOO_LARGE), []],
  ['an error that every request may get has the type of another status', 'GET', '/livez',
    { ...problem('target-too-long', 414, 'The URL is too long'), status: 431 },
    [
      'the content at "" matches 0 alternatives',
      'the content at "/type" must be "/static/problems.html#headers-too-large"',
      `the content at "/title" must be "${TOO_LARGE}"`, 'the content at "/status" must be 431',
    ]],
  ['an operation without the database answers for the database', 'GET', '/livez',
    problem('busy', 503, 'The service is busy'), ['the status 503']],
  ['another method has no Allow', 'PUT', '/livez',
    problem('method-not-allowed', 405, 'Method not allowed'), ['no field Allow']],
  ['OPTIONS has no Allow', 'OPTIONS', '/livez', { status: 204, headers: COMMON, text: '' },
    [
      'no field Allow', 'no field Access-Control-Allow-Methods', 'no field Access-Control-Allow-Headers',
      'no field Access-Control-Max-Age',
    ]],
], ([, method, target, response, faults]) => {
  const found = readApiDocument(text).findFaults(method, target, response);
  assert.deepEqual(found.map((fault) => fault.toLowerCase()), faults.map((fault) => fault.toLowerCase()));
});
