import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerReader } from '../../../scripts/bench/http.ts';

/** @returns The result of the reader for each chunk. */
function readAll(chunks: readonly string[]): (number | undefined)[] {
  const reader = new AnswerReader();
  return chunks.map((chunk) => reader.take(Buffer.from(chunk)));
}

const SHORT = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

for (const [title, chunks, expected] of [
  ['in one chunk', [SHORT], [200]],
  ['byte by byte', [...SHORT], [...Array(SHORT.length - 1).fill(undefined), 200]],
  [
    'with its body in separate chunks',
    ['HTTP/1.1 201 Created\r\ncontent-length:2\r\n\r\n', 'o', 'k'],
    [undefined, undefined, 201],
  ],
  ['without content, by length', ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'], [200]],
  ['without content, by its status 304', ['HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n'], [304]],
  ['without content, by its status 204', ['HTTP/1.1 204 No Content\r\n\r\n'], [204]],
  ['after other responses', [SHORT, SHORT, SHORT], [200, 200, 200]],
] as const) {
  test(`A response ${title} is complete at its last byte`, () => {
    assert.deepEqual(readAll(chunks), expected);
  });
}

for (const [title, chunks] of [
  ['more bytes than its length', ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nok']],
  ['no length', ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n']],
  ['no status code', ['HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n']],
  ['another protocol', ['SSH-2.0-OpenSSH\r\n\r\n']],
] as const) {
  test(`A response with ${title} is refused`, () => {
    assert.throws(() => readAll(chunks), /Cannot frame an answer/);
  });
}
