import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { findViolation } from '../../src/http/request-smuggling.ts';

// api/09-requests.test.ts tests the other refusals.
for (const [reason, ...messages] of [
  [
    undefined,
    ['1.1', 'Host: a.example'], ['1.1', 'host: a.example'], ['1.1', 'Host: '], ['1.0'],
    ['1.1', 'Host: a.example:8080'], ['1.1', 'Host: [::1]:8080'], ['1.1', 'Host: %C3%A9.example'],
    ['1.1', 'Host: a', 'Authorization: Basic x'], ['1.1', 'Host: a', 'Transfer-Encoding: chunked'],
    ['1.1', 'Host: a', 'Proxy-Authorization: Basic x', 'Authorization: Basic x'],
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
  for (const [httpVersion, ...fields] of messages) {
    test(`HTTP/${httpVersion} with ${JSON.stringify(fields)} is ${reason ? 'refused' : 'accepted'}`, () => {
      // As in Node.js, `rawHeaders` has all fields, and `headers` has the first field of each name.
      const pairs = fields.map((field) => field.split(': '));
      const entries = pairs.toReversed().map(([name = '', value]) => [name.toLowerCase(), value]);
      const incoming = Object.assign(new IncomingMessage(new Socket()), {
        httpVersion, headers: Object.fromEntries(entries), rawHeaders: pairs.flat(),
      });
      assert.equal(findViolation(incoming), reason);
    });
  }
}
