import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { evaluatePreconditions, toEntityTag } from '../../src/http/conditional.ts';

const get = (headers: IncomingHttpHeaders) => ({ method: 'GET', headers });
const put = (headers: IncomingHttpHeaders) => ({ method: 'PUT', headers });

/** Fields whose weak and strong comparison with `"a"` have the same result. */
const finding = [
  '*', '"a"',
  // A list of entity tags may have empty elements. A comma inside the quotes belongs to the tag.
  '"b", "a"', '"a","b"', '"b"\t,\t"c" , "a"', ', ,"a",, ', '"b,", "a"', '"\u00e9", "", "a"', 'W/"a", "a"',
];
const missing = [
  '"A"', '"b"', '""', '"b", "c"', '"x,"a","y"', '"a,b"', '"W/a"',
  // A malformed field matches nothing, even if some of its elements are well-formed.
  '', 'a', '"a', 'a"', "'a'", '"b" "a"', '"a", b', '"a", *', '*, "a"', 'w/"a"', 'W/ "a"', '"a b", "a"',
];

for (const [field, strong, weak] of [
  ...finding.map((field) => [field, true, true] as const),
  ...missing.map((field) => [field, false, false] as const),
  ['W/"a"', false, true], ['W/"b", W/"a"', false, true],
] as const) {
  const title = `If-Match ${field} ${strong ? 'holds' : 'fails'} for "a"`;
  test(`${title}, and If-None-Match ${weak ? 'finds' : 'misses'} "a"`, () => {
    const ifMatch = evaluatePreconditions(put({ 'if-match': field }), '"a"');
    const ifNoneMatch = evaluatePreconditions(get({ 'if-none-match': field }), '"a"');
    assert.equal(ifMatch, strong ? 'proceed' : 'precondition-failed');
    assert.equal(ifNoneMatch, weak ? 'not-modified' : 'proceed');
  });
}

for (const tag of ['""', '"a,b"', '"\u00e9"'] as const) {
  test(`The tag ${tag} matches itself`, () => {
    assert.equal(evaluatePreconditions(get({ 'if-none-match': tag }), tag), 'not-modified');
  });
}

for (const [method, expected] of [
  ['GET', 'not-modified'], ['HEAD', 'not-modified'],
  ['PUT', 'precondition-failed'], ['DELETE', 'precondition-failed'],
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
