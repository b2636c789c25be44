/**
 * The API tests check that `findFaults` reports no faults for right responses. The tests in this file check
 * the faults that `findFaults` reports for wrong responses.
 */
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

const withFields = (fields: object) => ({ ...LIVE, headers: { ...FIELDS, ...fields } });

function problem(slug: string, status: number, title: string) {
  const type = `/static/problems.html#${slug}`;
  return {
    status, headers: { ...COMMON, 'content-type': 'application/problem+json' },
    text: JSON.stringify({ type, title, status, detail: 'x', request_id: '1' }),
  };
}

each('if {0}, the faults of {1} are {2}', [
  ['a field is not listed', 'GET /livez', ['the field remote-user'], withFields({ 'remote-user': 'ada' })],
  ['a field is missing', 'GET /livez', ['no field x-request-id'], { ...LIVE, headers: WITHOUT_ID }],
  ['a field has a value that is not listed', 'GET /livez',
    ['the field cache-control, which must be text that matches ^no-(store|cache)$'],
    withFields({ 'cache-control': 'public' })],
  ['a member is missing', 'GET /livez', ['the content at "/status" is required'], { ...LIVE, text: '{}' }],
  ['a member is not listed', 'GET /livez', ['the content at "/x" is not allowed'],
    { ...LIVE, text: '{"status":"live","x":1}' }],
  ['a member has another word', 'GET /livez', ['the content at "/status" must be "live"'],
    { ...LIVE, text: '{"status":"alive"}' }],
  ['the status is not listed', 'GET /livez', ['the status 201'], { ...LIVE, status: 201 }],
  ['the media type is not listed', 'GET /livez', ['the type text/plain'],
    withFields({ 'content-type': 'text/plain' })],
  ['HEAD has content', 'HEAD /livez', ['content after HEAD'], LIVE],
  ['an unknown path is 200', 'GET /nowhere', ['the status 200'], LIVE],
  ['an error that every request may get has the type of another status', 'GET /livez', [
    'the content at "" matches 0 alternatives',
    'the content at "/type" must be "/static/problems.html#headers-too-large"',
    'the content at "/title" must be "The header fields are too many or too large"',
    'the content at "/status" must be 431',
  ], { ...problem('target-too-long', 414, 'The URL is too long'), status: 431 }],
  ['an operation without the database answers for the database', 'GET /livez', ['the status 503'],
    problem('busy', 503, 'The service is busy')],
  ['another method has no Allow', 'PUT /livez', ['no field Allow'],
    problem('method-not-allowed', 405, 'Method not allowed')],
  ['OPTIONS has no Allow', 'OPTIONS /livez', [
    'no field Allow', 'no field Access-Control-Allow-Methods', 'no field Access-Control-Allow-Headers',
    'no field Access-Control-Max-Age',
  ], { status: 204, headers: COMMON, text: '' }],
], ([, line, faults, response]) => {
  const [method = '', target = ''] = line.split(' ');
  const found = readApiDocument(text).findFaults(method, target, response);
  assert.deepEqual(found.map((fault) => fault.toLowerCase()), faults.map((fault) => fault.toLowerCase()));
});
