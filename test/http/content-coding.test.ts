import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { chooseCoding, encodeContent } from '../../src/http/content-coding.ts';

for (const [acceptEncoding, expected] of [
  [undefined, 'identity'],
  ['', 'identity'],
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip,deflate', 'gzip'],
  ['deflate', 'identity'],
  ['BR', 'br'],
  ['x-gzip', 'gzip'],
  ['brotli', 'identity'],

  // Weights
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0.5, gzip;q=0.5', 'br'],
  ['br;q=0.001', 'br'],
  ['br;q=0', 'identity'],
  ['br;q=0.000, gzip', 'gzip'],
  ['br ; Q=0 , gzip ;\tq=1.000', 'gzip'],
  ['br;q=0.5, identity', 'identity'],
  ['br, identity', 'br'],

  // The asterisk matches every coding that is not listed, identity included.
  ['*', 'br'],
  ['*, br;q=0', 'gzip'],
  ['*;q=0.5, gzip', 'gzip'],
  ['*;q=0, gzip', 'gzip'],
  ['gzip;q=0.5, br;q=0, *', 'identity'],

  // A client that accepts no available coding gets the content uncoded.
  ['*;q=0', 'identity'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, deflate', 'identity'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],

  // Malformed elements are ignored; the rest of the list counts.
  ['br;q=2, gzip', 'gzip'],
  ['br;q=, gzip', 'gzip'],
  ['br;q=-1, gzip', 'gzip'],
  ['br;q=0.0001', 'identity'],
  ['br;level=1, gzip', 'gzip'],
  [', ,gzip,,', 'gzip'],
  ['__proto__, gzip', 'gzip'],
] as const) {
  test(`Accept-Encoding "${acceptEncoding ?? '(absent)'}" selects ${expected}`, () => {
    assert.equal(chooseCoding(acceptEncoding, ['br', 'gzip']), expected);
  });
}

test('A preferred coding in which the content does not exist is skipped', () => {
  assert.equal(chooseCoding('br, gzip;q=0.5', ['gzip']), 'gzip');
  assert.equal(chooseCoding('br, gzip', []), 'identity');
});

test('Every coded form decodes to the content', () => {
  const content = Buffer.from('Rollcall. '.repeat(100));
  const [br, gzip, ...others] = encodeContent(content);
  assert.ok(br?.coding === 'br' && gzip?.coding === 'gzip');
  assert.deepEqual(others, []);
  assert.deepEqual(brotliDecompressSync(br.body), content);
  assert.deepEqual(gunzipSync(gzip.body), content);
});

for (const [what, content] of [
  ['Nothing', Buffer.alloc(0)],
  ['Random content', randomBytes(500)],
  ['Content greater than 1 MiB', Buffer.alloc(1024 * 1024 + 1)],
] as const) {
  test(`${what} has no coded form`, () => {
    assert.deepEqual(encodeContent(content), []);
  });
}

test('Content of exactly 1 MiB is coded', () => {
  assert.equal(encodeContent(Buffer.alloc(1024 * 1024)).length, 2);
});
