import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluatePreconditions, toEntityTag } from '../../src/http/conditional.ts';

const outcomeOf = (method: string, headers: Readonly<Record<string, string>>) =>
  evaluatePreconditions({ method, headers }, '"a"');

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
    assert.equal(outcomeOf('PUT', { 'if-match': field }), strong ? 'proceed' : 'precondition-failed');
    assert.equal(outcomeOf('GET', { 'if-none-match': field }), weak ? 'not-modified' : 'proceed');
  });
}

for (const tag of ['""', '"a,b"', '"\u00e9"', toEntityTag('a')] as const) {
  test(`The tag ${tag} matches itself`, () => {
    const request = { method: 'GET', headers: { 'if-none-match': tag } };
    assert.equal(evaluatePreconditions(request, tag), 'not-modified');
  });
}

const inFuture = 'Fri, 01 Jan 2100 00:00:00 GMT';
for (const [method, headers, expected] of [
  ['GET', { 'if-none-match': '"a"' }, 'not-modified'], ['HEAD', { 'if-none-match': '"a"' }, 'not-modified'],
  ['PUT', { 'if-none-match': '"a"' }, 'precondition-failed'],
  ['DELETE', { 'if-none-match': '"a"' }, 'precondition-failed'],
  ['GET', {}, 'proceed'],
  ['GET', { 'if-match': '"b"', 'if-none-match': '"a"' }, 'precondition-failed'],
  ['GET', { 'if-match': '"a"', 'if-none-match': '"a"' }, 'not-modified'],
  ['GET', { 'if-match': '"a"', 'if-none-match': '"b"' }, 'proceed'],
  ['GET', { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 'proceed'],
  ['GET', { 'if-modified-since': inFuture }, 'proceed'],
  ['GET', { 'if-none-match': '"b"', 'if-modified-since': inFuture }, 'proceed'],
] as const) {
  test(`${method} of "a" with ${JSON.stringify(headers)} is ${expected}`, () => {
    assert.equal(outcomeOf(method, headers), expected);
  });
}

test('A tag is strong, well-formed, and different for different content', () => {
  assert.match(toEntityTag(Buffer.from('a')), /^"[\w-]{43}"$/);
  assert.notEqual(toEntityTag(Buffer.from('a')), toEntityTag(Buffer.from('b')));
});

for (const field of ['"b",', '"b', ',']) {
  test(`If-None-Match with ${field} a million times is read within a second of processor time`, () => {
    const before = process.cpuUsage();
    assert.equal(outcomeOf('GET', { 'if-none-match': `${field.repeat(1e6)}b` }), 'proceed');
    assert.ok(process.cpuUsage(before).user < 1e6);
  });
}
