import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { findFramingFault } from '../../src/http/framing.ts';

const HOST_REASON = 'HTTP requires exactly one valid Host field';
const AUTHORIZATION_REASON = 'there is more than one Authorization field';
const CODING_REASON = 'Transfer-Encoding requires HTTP/1.1';

for (const [version, fields, reason] of [
  ['1.1', ['Host: a.example'], undefined],
  ['1.1', ['host: a.example'], undefined],
  ['1.1', ['Host: '], undefined],
  ['1.1', ['Host: a.example:8080'], undefined],
  ['1.1', ['Host: [::1]:8080'], undefined],
  ['1.1', ['Host: %C3%A9.example'], undefined],
  ['1.1', [], HOST_REASON],
  ['1.0', [], undefined],
  ['1.1', ['Host: a', 'Host: a'], HOST_REASON],
  ['1.1', ['Host: a', 'HOST: b'], HOST_REASON],
  ['1.0', ['Host: a', 'Host: b'], HOST_REASON],
  ['1.1', ['Host: a b'], HOST_REASON],
  ['1.1', ['Host: a/b'], HOST_REASON],
  ['1.1', ['Host: a?b'], HOST_REASON],
  ['1.1', ['Host: a#b'], HOST_REASON],
  ['1.1', ['Host: ann@a'], HOST_REASON],
  ['1.1', ['Host: a\\b'], HOST_REASON],
  ['1.1', ['Host: <a>'], HOST_REASON],
  ['1.1', ['Host: é'], HOST_REASON],
  ['1.0', ['Host: a b'], HOST_REASON],
  ['1.1', ['Host: a', 'Authorization: Basic x'], undefined],
  ['1.1', ['Host: a', 'Authorization: Basic x', 'Authorization: Basic x'], AUTHORIZATION_REASON],
  ['1.1', ['Host: a', 'Authorization: Basic x', 'authorization: Bearer y'], AUTHORIZATION_REASON],
  ['1.1', ['Host: a', 'Proxy-Authorization: Basic x', 'Authorization: Basic x'], undefined],
  ['1.1', ['Host: a', 'Transfer-Encoding: chunked'], undefined],
  ['1.0', ['Transfer-Encoding: chunked'], CODING_REASON],
  ['1.0', ['Host: a', 'transfer-encoding: identity'], CODING_REASON],
] as const) {
  test(`HTTP/${version} with ${JSON.stringify(fields)} is ${reason ? 'refused' : 'accepted'}`, () => {
    assert.equal(findFramingFault(createIncoming(version, fields)), reason);
  });
}

/**
 * Creates a message in the form of Node.js: `rawHeaders` has all fields, and `headers` has the first field of
 * each name.
 */
function createIncoming(version: string, fields: readonly string[]): IncomingMessage {
  const incoming = new IncomingMessage(new Socket());
  incoming.httpVersion = version;
  for (const field of fields) {
    const [name = '', value = ''] = field.split(': ');
    incoming.rawHeaders.push(name, value);
    incoming.headers[name.toLowerCase()] ??= value;
  }
  return incoming;
}
