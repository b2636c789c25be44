import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { evaluatePreconditions, toEntityTag, type EntityTag } from '../../src/http/conditional.ts';

type Row = readonly [field: string, current: EntityTag, matches: boolean];

/** The cases in which weak and strong comparison have the same result. */
const commonRows: readonly Row[] = [
  ['"a"', '"a"', true],
  ['"A"', '"a"', false],
  ['"b"', '"a"', false],
  ['""', '""', true],
  ['*', '"a"', true],

  // Lists of entity tags.
  ['"b", "a"', '"a"', true],
  ['"a","b"', '"a"', true],
  ['"b"\t,\t"c" , "a"', '"a"', true],
  [', ,"a",, ', '"a"', true],
  ['"b", "c"', '"a"', false],
  ['"x,"a","y"', '"a"', false],
  ['"a,b"', '"a,b"', true],
  ['"a,b"', '"a"', false],
  ['"a,", "b"', '"b"', true],
  ['"\u00e9"', '"\u00e9"', true],

  // A malformed field matches nothing, even if some of its elements are well-formed.
  ['', '"a"', false],
  ['a', '"a"', false],
  ['"a', '"a"', false],
  ['a"', '"a"', false],
  ["'a'", '"a"', false],
  ['"b" "a"', '"a"', false],
  ['"a", b', '"a"', false],
  ['"a", *', '"a"', false],
  ['*, "a"', '"a"', false],
  ['w/"a"', '"a"', false],
  ['W/ "a"', '"a"', false],
  ['"a b"', '"a b"', false],
];

const strongRows: readonly Row[] = [
  ['W/"a"', '"a"', false],
  ['W/"a", "a"', '"a"', true],
];

const weakRows: readonly Row[] = [
  ['W/"a"', '"a"', true],
  ['W/"b", W/"a"', '"a"', true],
  ['"W/a"', '"a"', false],
];

for (const [field, current, matches] of [...commonRows, ...strongRows]) {
  test(`If-Match ${field} ${matches ? 'holds for' : 'fails for'} ${current}`, () => {
    const outcome = evaluatePreconditions(put({ 'if-match': field }), current);
    assert.equal(outcome, matches ? 'proceed' : 'precondition-failed');
  });
}

for (const [field, current, matches] of [...commonRows, ...weakRows]) {
  test(`If-None-Match ${field} ${matches ? 'finds' : 'misses'} ${current}`, () => {
    const outcome = evaluatePreconditions(get({ 'if-none-match': field }), current);
    assert.equal(outcome, matches ? 'not-modified' : 'proceed');
  });
}

for (const [method, expected] of [
  ['GET', 'not-modified'],
  ['HEAD', 'not-modified'],
  ['PUT', 'precondition-failed'],
  ['DELETE', 'precondition-failed'],
] as const) {
  test(`A tag that If-None-Match matches makes ${method} ${expected}`, () => {
    const request = { method, headers: { 'if-none-match': '"a"' } };
    assert.equal(evaluatePreconditions(request, '"a"'), expected);
  });
}

const longAgo = 'Thu, 01 Jan 1970 00:00:00 GMT';
const inFuture = 'Fri, 01 Jan 2100 00:00:00 GMT';
const precedenceRows: readonly [IncomingHttpHeaders, ReturnType<typeof evaluatePreconditions>][] = [
  [{}, 'proceed'],
  [{ 'if-match': '"b"', 'if-none-match': '"a"' }, 'precondition-failed'],
  [{ 'if-match': '"a"', 'if-none-match': '"a"' }, 'not-modified'],
  [{ 'if-match': '"a"', 'if-none-match': '"b"' }, 'proceed'],
  [{ 'if-unmodified-since': longAgo }, 'proceed'],
  [{ 'if-modified-since': inFuture }, 'proceed'],
  [{ 'if-none-match': '"b"', 'if-modified-since': inFuture }, 'proceed'],
];
for (const [headers, expected] of precedenceRows) {
  test(`GET of "a" with ${JSON.stringify(headers)} is ${expected}`, () => {
    assert.equal(evaluatePreconditions(get(headers), '"a"'), expected);
  });
}

test('A tag is strong, well-formed, and different for different content', () => {
  assert.match(toEntityTag(Buffer.from('a')), /^"[\w-]{43}"$/);
  assert.equal(toEntityTag(Buffer.from('a')), toEntityTag(Buffer.from('a')));
  assert.notEqual(toEntityTag(Buffer.from('a')), toEntityTag(Buffer.from('b')));
});

for (const [what, field] of [
  ['a list of a million tags', '"b",'.repeat(1e6)],
  ['a million unclosed quotes', '"b'.repeat(1e6)],
  ['a million commas', ','.repeat(1e6) + 'b'],
] as const) {
  test(`If-None-Match with ${what} is read within a second of processor time`, () => {
    const before = process.cpuUsage();
    assert.equal(evaluatePreconditions(get({ 'if-none-match': field }), '"a"'), 'proceed');
    assert.ok(process.cpuUsage(before).user < 1e6);
  });
}

function get(headers: IncomingHttpHeaders) {
  return { method: 'GET', headers };
}

function put(headers: IncomingHttpHeaders) {
  return { method: 'PUT', headers };
}
