import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNetwork } from '../../src/auth/client.ts';

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
