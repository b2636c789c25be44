import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findClientAddress, parseTrustedProxies, peerOf, toNetwork } from '../../src/http/client-address.ts';

const isTrusted = parseTrustedProxies('10.0.0.0/8, 127.0.0.1,2001:db8:1::/48, ::1');

for (const [peer, list, expected] of [
  ['192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['10.0.0.1', '198.51.100.7, 10.2.3.4', '198.51.100.7'],
  ['10.0.0.1', '203.0.113.9,198.51.100.7 ,\t10.2.3.4,127.0.0.1', '198.51.100.7'],
  ['10.0.0.1', '10.9.9.9, 10.2.3.4', '10.9.9.9'],
  ['10.0.0.1', '127.0.0.1, 198.51.100.7', '198.51.100.7'],
  ['10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
  ['10.0.0.1', '2001:db8::7', '2001:db8::7'],
  ['10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
  ['10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
  ['::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['::ffff:192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['::1', '198.51.100.7', '198.51.100.7'],
  ['2001:db8:1:2::3', '198.51.100.7', '198.51.100.7'],
  ['2001:db8:2::3', '198.51.100.7', '2001:db8:2::3'],
  ['10.0.0.1', '', '10.0.0.1'],
  ['10.0.0.1', 'unknown', '10.0.0.1'],
  ['10.0.0.1', '198.51.100.7, x', '10.0.0.1'],
  ['10.0.0.1', '198.51.100.7, x, 10.2.3.4', '10.2.3.4'],
  ['10.0.0.1', '1.2.3', '10.0.0.1'],
  ['10.0.0.1', ','.repeat(16_000), '10.0.0.1'],
  ['', '198.51.100.7', ''],
  ['fe80::1%eth0', '198.51.100.7', 'fe80::1%eth0'],
] as const) {
  test(`X-Forwarded-For "${list?.slice(0, 50)}" from "${peer}" means "${expected}"`, () => {
    const headers = list === undefined ? {} : { 'x-forwarded-for': list };
    assert.equal(findClientAddress(peerOf({ remoteAddress: peer }), headers, isTrusted), expected);
  });
}

for (const forwarded of ['for=203.0.113.9', 'x', '']) {
  test(`Forwarded "${forwarded}", which a client may send, changes nothing`, () => {
    const headers = { forwarded };
    assert.equal(findClientAddress('10.0.0.1', headers, isTrusted), '10.0.0.1');
    assert.equal(
      findClientAddress('10.0.0.1', { ...headers, 'x-forwarded-for': '198.51.100.7' }, isTrusted),
      '198.51.100.7',
    );
  });
}

test('without trusted proxies the field is ignored', () => {
  assert.equal(findClientAddress('127.0.0.1', { 'x-forwarded-for': '198.51.100.7' }, undefined), '127.0.0.1');
});

test('an IPv4-mapped peer becomes IPv4, and a closed connection has none', () => {
  assert.equal(peerOf({ remoteAddress: '::FFFF:127.0.0.1' }), '127.0.0.1');
  assert.equal(peerOf({ remoteAddress: undefined }), '');
});

for (const [text, isAccepted] of [
  ['127.0.0.1', true], ['0.0.0.0/0', true], ['10.0.0.0/8,::/0', true], ['10.0.0.1/32', true],
  ['::1/128', true], [' 10.0.0.1 , ::1 ', true],
  ['10.0.0.0/33', false], ['::1/129', false], ['10.0.0/8', false], ['10.0.0.0/', false],
  ['10.0.0.0/-1', false], ['10.0.0.0/8/8', false],
  ['localhost', false], ['*', false], ['10.0.0.1,', false], ['10.0.0.1 10.0.0.2', false],
  ['fe80::1%eth0', false], ['true', false],
] as const) {
  test(`TRUST_PROXY "${text}" is ${isAccepted ? 'accepted' : 'refused'}`, () => {
    assert.equal(parseTrustedProxies(text) !== undefined, isAccepted);
  });
}

for (const [one, other, isSame] of [
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
] as const) {
  test(`${one} and ${other} are in ${isSame ? 'one network' : 'two networks'}`, () => {
    assert.equal(toNetwork(one) === toNetwork(other), isSame);
  });
}
