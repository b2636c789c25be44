/**
 * api/09-requests.test.ts tests chunked bodies, and the body limit of each operation.
 * faults/hostile-clients.test.ts sends chunks of one byte, and measures the memory of the server.
 */
import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { receiveBody } from '../../src/http/body.ts';

const createIncoming = () =>
  Object.assign(new IncomingMessage(new Socket()), { headers: { 'content-length': '10' } });

test('A connection that closes or breaks before or in the middle of a body aborts the body', async () => {
  const gone = createIncoming();
  gone.destroy();
  await new Promise(setImmediate);
  assert.equal(await receiveBody(gone, 10), 'aborted');
  for (const error of [undefined, new Error('aborted')]) {
    const incoming = createIncoming();
    const receiving = receiveBody(incoming, 10);
    incoming.push(Buffer.from('01234'));
    incoming.destroy(error);
    assert.equal(await receiving, 'aborted');
  }
});
