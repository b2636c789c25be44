/** api/09-requests.test.ts tests bodies in chunks, and the body limit of each operation. */
import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { receiveBody } from '../../src/http/body.ts';

test('A body of one-byte chunks is kept in one buffer of the size of the limit', async () => {
  const incoming = createIncoming({ 'transfer-encoding': 'chunked' });
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

test('A connection that closes or breaks before or in the middle of a body aborts the body', async () => {
  const gone = createIncoming({ 'content-length': '10' });
  gone.destroy();
  await new Promise(setImmediate);
  assert.equal(await receiveBody(gone, 10), 'aborted');
  for (const error of [undefined, new Error('aborted')]) {
    const incoming = createIncoming({ 'content-length': '10' });
    const receiving = receiveBody(incoming, 10);
    incoming.push(Buffer.from('01234'));
    incoming.destroy(error);
    assert.equal(await receiving, 'aborted');
  }
});

function createIncoming(headers: IncomingMessage['headers']): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers });
}
