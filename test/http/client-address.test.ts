import assert from 'node:assert/strict';
import {
  findClientAddress, parseTrustedProxies, toNetwork, toPlainAddress,
} from '../../src/http/client-address.ts';
import { each } from '../support/each.ts';

const isTrusted = parseTrustedProxies('10.0.0.0/8, 127.0.0.1,2001:db8:1::/48, ::1, fe80::9');
assert(isTrusted);

each('X-Forwarded-For "{1}" from "{0}" means "{2}"', [
  // The proxy nearest to the service wrote the last address in the list.
  ...[
    '198.51.100.7', '203.0.113.9, 198.51.100.7', '198.51.100.7, 10.2.3.4', '127.0.0.1, 198.51.100.7',
    '203.0.113.9,198.51.100.7 ,\t10.2.3.4,127.0.0.1', '198.51.100.7:4711', '::ffff:198.51.100.7',
    '::FFFF:c633:6407',
  ].map((list) => ['10.0.0.1', list, '198.51.100.7'] as const),
  ...[
    undefined, '', 'unknown', '198.51.100.7, x', '1.2.3', ','.repeat(16_000),
  ].map((list) => ['10.0.0.1', list, '10.0.0.1'] as const),
  ['10.0.0.1', '10.9.9.9, 10.2.3.4', '10.9.9.9'],
  // The service parses at most 100 addresses.
  ['10.0.0.1', `198.51.100.7${', 10.9.9.9'.repeat(99)}`, '198.51.100.7'],
  ['10.0.0.1', `198.51.100.7${', 10.9.9.9'.repeat(100)}`, '10.9.9.9'],
  ['10.0.0.1', '198.51.100.7, x, 10.2.3.4', '10.2.3.4'],
  ...['2001:db8::7', '[2001:db8::7]:4711', '2001:DB8:0::0:7']
    .map((list) => ['10.0.0.1', list, '2001:db8::7'] as const),
  ...['::ffff:10.0.0.1', '::1', '2001:db8:1:2::3']
    .map((proxy) => [proxy, '198.51.100.7', '198.51.100.7'] as const),

  // The service ignores X-Forwarded-For from a client that is not a trusted proxy.
  ['::ffff:192.0.2.1', '198.51.100.7', '192.0.2.1'], ['::FFFF:192.0.2.1', undefined, '192.0.2.1'],
  ...['192.0.2.1', '2001:db8:2::3', ''].map((peer) => [peer, '198.51.100.7', peer] as const),
  // The service cuts off the zone of an address. A zone can contain any text.
  ['fe80::1%eth0', '198.51.100.7', 'fe80::1'], ['fe80::9%eth0', '198.51.100.7', '198.51.100.7'],
  ['10.0.0.1', '198.51.100.7, fe80::9%eth0', '198.51.100.7'],
  ['10.0.0.1', 'fe80::1%a:b:c:d:e:f:g:h:i', 'fe80::1'],
], ([peer, list, expected]) => {
  const headers = list === undefined ? {} : { 'x-forwarded-for': list };
  const address = toPlainAddress(peer);
  for (const forwarded of [undefined, 'for=203.0.113.9', 'x']) { // the service ignores `Forwarded`
    assert.equal(findClientAddress(address, { ...headers, forwarded }, isTrusted), expected);
  }
});

each('TRUST_PROXY such as "{1}" is {0}', [
  ['accepted', '127.0.0.1', '0.0.0.0/0', '10.0.0.0/8,::/0', '10.0.0.1/32', '::1/128', ' 10.0.0.1 , ::1 '],
  ['refused',
    '10.0.0.0/33', '::1/129', '10.0.0/8', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', 'localhost', '*',
    '10.0.0.1,', '10.0.0.1 10.0.0.2', 'fe80::1%eth0', 'true'],
], ([outcome, ...texts]) => {
  for (const text of texts) {
    assert.equal(parseTrustedProxies(text) === undefined ? 'refused' : 'accepted', outcome, text);
  }
});

each('{0} and {1} are in one network: {2}', [
  ['2001:db8:1:2::1', '2001:db8:1:2::2', true],
  ['2001:db8:1:2:0:1::', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1', '2001:db8::2', true],
  ['2001:db8:1::5', '2001:db8:1:0:5:6:7:8', true],
  ['2001:db8::1', '2001:db8:0:0:1::', true],
  ['2001::5:1:2:3:4', '2001::6:1:2:3:4', false],
  ['2001:db8::1', '2001:db9::1', false],
  ['::1', '::2', true],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1', true],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['192.0.2.1', '192.0.2.10', false],
], ([one, other, isSame]) => assert.equal(toNetwork(one) === toNetwork(other), isSame));
