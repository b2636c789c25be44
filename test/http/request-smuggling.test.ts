import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { findViolation } from '../../src/http/request-smuggling.ts';

for (const [reason, ...messages] of [
  [
    undefined,
    ['1.1', 'Host: a.example'], ['1.1', 'host: a.example'], ['1.1', 'Host: '], ['1.0'],
    ['1.1', 'Host: a.example:8080'], ['1.1', 'Host: [::1]:8080'], ['1.1', 'Host: %C3%A9.example'],
    ['1.1', 'Host: a', 'Authorization: Basic x'],
    ['1.1', 'Host: a', 'Proxy-Authorization: Basic x', 'Authorization: Basic x'],
    ['1.1', 'Host: a', 'Transfer-Encoding: chunked'],
  ],
  [
    'HTTP requires exactly one valid Host field',
    ['1.1'], ['1.1', 'Host: a', 'Host: a'], ['1.1', 'Host: a', 'HOST: b'], ['1.0', 'Host: a', 'Host: b'],
    ['1.1', 'Host: a b'], ['1.1', 'Host: a/b'], ['1.1', 'Host: a?b'], ['1.1', 'Host: a#b'],
    ['1.1', 'Host: ann@a'], ['1.1', 'Host: a\\b'], ['1.1', 'Host: <a>'], ['1.1', 'Host: é'],
    ['1.0', 'Host: a b'],
  ],
  [
    'there is more than one Authorization field',
    ['1.1', 'Host: a', 'Authorization: Basic x', 'Authorization: Basic x'],
    ['1.1', 'Host: a', 'Authorization: Basic x', 'authorization: Bearer y'],
  ],
  [
    'Transfer-Encoding requires HTTP/1.1',
    ['1.0', 'Transfer-Encoding: chunked'], ['1.0', 'Host: a', 'transfer-encoding: identity'],
  ],
] as const) {
  for (const [version, ...fields] of messages) {
    test(`HTTP/${version} with ${JSON.stringify(fields)} is ${reason ? 'refused' : 'accepted'}`, () => {
      assert.equal(findViolation(createIncoming(version, fields)), reason);
    });
  }
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
