import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { receiveBody } from '../../src/http/body.ts';

for (const [declared, chunks, expected] of [
  [undefined, [], 'received'],
  [undefined, ['0123456789'], 'received'],
  [undefined, ['01234', '56789'], 'received'],
  [undefined, ['01234', '56789', '!'], 'too-large'],
  [undefined, ['0123456789!'], 'too-large'],
  ['0', [], 'received'],
  ['10', ['0123456789'], 'received'],
  ['11', [], 'too-large'],
  ['9'.repeat(400), [], 'too-large'],
] as const) {
  const size = chunks.join('').length;
  const title = `${size} bytes in ${chunks.length} pieces, declared as ${declared?.slice(0, 9)}`;
  test(`${title}, are ${expected} at a limit of 10`, async () => {
    const incoming = createIncoming(declared);
    const receiving = receiveBody(incoming, 10);
    [...chunks.map((chunk) => Buffer.from(chunk)), null].forEach((chunk) => incoming.push(chunk));
    const outcome = await receiving;
    assert.equal(String(outcome), expected === 'received' ? chunks.join('') : expected);
  });
}

test('A body of one-byte chunks is kept in one buffer of the size of the limit', async () => {
  const incoming = createIncoming();
  const receiving = receiveBody(incoming, 150_000);
  for (let index = 0; index < 100_000; index += 1) {
    incoming.push(Buffer.from(String(index % 10)));
  }
  incoming.push(null);
  const outcome = await receiving;
  assert(Buffer.isBuffer(outcome));
  assert.equal(outcome.toString(), '0123456789'.repeat(10_000));
  assert.ok(outcome.buffer.byteLength === 150_000);
});

test('A body is refused as too large before it is complete', async () => {
  const incoming = createIncoming();
  const receiving = receiveBody(incoming, 10);
  incoming.push(Buffer.from('0123456789!'));
  assert.equal(await receiving, 'too-large');
});

test('A connection that closes or breaks in the middle of a body aborts the body', async () => {
  for (const error of [undefined, new Error('aborted')]) {
    const incoming = createIncoming('10');
    const receiving = receiveBody(incoming, 10);
    incoming.push(Buffer.from('01234'));
    incoming.destroy(error);
    assert.equal(await receiving, 'aborted');
  }
});

test('A body is aborted if its connection closed before the body was requested', async () => {
  const incoming = createIncoming('10');
  incoming.destroy();
  await new Promise(setImmediate);
  assert.equal(await receiveBody(incoming, 10), 'aborted');
});

function createIncoming(declaredLength?: string): IncomingMessage {
  const incoming = new IncomingMessage(new Socket());
  incoming.headers = declaredLength === undefined
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': declaredLength };
  return incoming;
}
