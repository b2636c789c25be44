/** The formats of draft 4, by example on both sides of every rule. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compileSchema } from '../../src/jsonschema/compile.ts';
import type { Format } from '../../src/jsonschema/schema.ts';

const label63 = 'a'.repeat(63);
const host253 = `${label63}.${label63}.${label63}.${'a'.repeat(61)}`;
const local64 = 'a'.repeat(64);
const domain189 = `${label63}.${label63}.${'a'.repeat(61)}`;

const examples: { readonly [format in Format]: { valid: string[]; invalid: string[] } } = {
  'date-time': {
    valid: [
      '2026-01-31T23:59:59Z',
      '2026-01-31t23:59:59z',
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59.000000001+23:59',
      '2024-02-29T12:00:00-00:00',
      '2000-02-29T12:00:00Z',
      '2016-12-31T23:59:60Z',
      '2017-01-01T00:59:60+01:00',
      '1990-12-31T15:59:60.5-08:00',
      '9999-12-31T23:59:60Z',
    ],
    invalid: [
      '',
      '2026-01-31',
      '2026-01-31 23:59:59Z',
      '2026-01-31T23:59:59',
      '2026-01-31T23:59Z',
      '2026-01-31T23:59:59.Z',
      '2026-01-31T23:59:59+01',
      '2026-01-31T23:59:59+0100',
      '2026-1-31T23:59:59Z',
      '+02026-01-31T23:59:59Z',
      '2026-00-01T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-00T00:00:00Z',
      '2026-01-32T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2026-01-31T24:00:00Z',
      '2026-01-31T23:60:00Z',
      '2026-01-31T23:59:61Z',
      '2026-01-31T23:59:59+24:00',
      '2026-01-31T23:59:59+00:60',
      '2016-12-31T23:58:60Z',
      '2016-12-30T23:59:60Z',
      '2016-12-31T23:59:60+01:00',
      ' 2026-01-31T23:59:59Z',
      '2026-01-31T23:59:59Z\n',
      '2026-01-3١T23:59:59Z',
    ],
  },
  email: {
    valid: [
      'a@b',
      'first.last+tag@sub.example.com',
      "!#$%&'*+-/=?^_`{|}~@example.com",
      `${local64}@${domain189}`,
    ],
    invalid: [
      '',
      '@',
      'a',
      'a@',
      '@b',
      'a@b@c',
      '.a@b',
      'a.@b',
      'a..b@c',
      'a b@c',
      'a@b c',
      'a@-b',
      'a@b.',
      'a@b_c',
      'a,b@c',
      'a@b, c@d',
      'A <a@b>',
      '"a b"@c',
      'a@[127.0.0.1]',
      'é@example.com',
      'a@exämple.com',
      'a@b\n',
      `a${local64}@b`,
      `${local64}@${domain189}a`,
    ],
  },
  hostname: {
    valid: ['a', '1', 'a-b', 'A.b', '3com.com', 'xn--bcher-kva.example', `${label63}.a`, host253],
    invalid: [
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      '-a',
      'a-',
      'a.-b',
      'a_b',
      'a b',
      'bücher',
      '\u212a',
      'a\n',
      `a${label63}`,
      `${host253}a`,
      'a:80',
      '[::1]',
    ],
  },
  ipv4: {
    valid: ['0.0.0.0', '255.255.255.255', '1.20.99.100'],
    invalid: [
      '',
      '1.2.3',
      '1.2.3.4.5',
      '1.2.3.256',
      '1.2.3.1000',
      '01.2.3.4',
      '1.2.3.00',
      '1.2.3.-4',
      '1.2.3.+4',
      '1.2.3.4e0',
      '0x1.2.3.4',
      '1.2..4',
      '1.2.3.',
      '1.2.3.4/8',
      ' 1.2.3.4',
      '1.2.3.4\n',
      '1.2.3.٤',
    ],
  },
  ipv6: {
    valid: [
      '::',
      '::1',
      '1::',
      '1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:7::',
      '::2:3:4:5:6:7:8',
      '1::8',
      'ABCD:ef01::',
      '::ffff:192.168.0.1',
      '1:2:3:4:5:6:1.2.3.4',
      '1::1.2.3.4',
      '1:2:3:4:5::1.2.3.4',
    ],
    invalid: [
      '',
      ':',
      ':::',
      '1',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4::5:6:7:8',
      '1::2::3',
      '1:::2',
      ':1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:',
      ':1::2',
      '12345::',
      'g::',
      '1.2.3.4',
      '1.2.3.4::',
      '::1.2.3',
      '::1.2.3.256',
      '::1.2.3.4:5',
      '1:2:3:4:5:6:7:1.2.3.4',
      '1:2:3:4:5:6::1.2.3.4',
      'fe80::1%eth0',
      '[::1]',
      '::/0',
      ' ::1',
      '::1\n',
    ],
  },
  uri: {
    valid: [
      'a:',
      'http://example.com',
      'HTTP://user:pass@example.com:8080/a/b;c=1,2/?q=%20#f?/',
      'http://',
      'http://example.com:',
      'http://[::1]:80/',
      'http://[v1.a:b]/',
      'file:///etc/hosts',
      'mailto:a@b',
      'urn:isbn:0-486-27557-4',
      'x+y-z.1:path//with/two',
    ],
    invalid: [
      '',
      ':',
      'a',
      '//example.com',
      '/a',
      '?q',
      '#f',
      '1a:b',
      'a_b:c',
      'é:a',
      'a:b c',
      'a:<b>',
      'a:"b"',
      'a:b\\c',
      'a:{b}',
      'a:é',
      'a:b\n',
      'a:%',
      'a:%4',
      'a:%4g',
      'a:b#c#d',
      'a:[b]',
      'http://a/[b]',
      'http://a?[b]',
      'http://a:80a/',
      'http://a@b@c/',
      'http://[::1/',
      'http://::1/',
      'http://[1.2.3.4]/',
      'http://[::1%25eth0]/',
      'http://[::1]a/',
      'http://[v.a]/',
      'http://a[::1]/',
    ],
  },
};

/** Texts that make a careless expression try out what grows with the square or worse. */
const long = 1_000_000;
const attacks = [
  'a'.repeat(long),
  `${'a.'.repeat(long)}@`,
  `${'a@'.repeat(long)}`,
  `a@${'a-'.repeat(long)}.`,
  `http://${'a'.repeat(long)}[`,
  `http://${'a:'.repeat(long)}@[`,
  `http:${'//a'.repeat(long)}##`,
  `a:${'%41'.repeat(long)}%`,
  `${'1:'.repeat(long)}:`,
  `${':'.repeat(long)}1`,
  '1.'.repeat(long),
  `2026-01-31T23:59:59.${'0'.repeat(long)}`,
  `2026-01-31T23:59:60.${'0'.repeat(long)}z `,
];

for (const [format, { valid, invalid }] of Object.entries(examples)) {
  const validate = compileSchema({ format: format as Format });
  for (const text of valid) {
    test(`${format} accepts ${JSON.stringify(text)}`, () => {
      assert.deepEqual(validate(text), []);
    });
  }
  for (const text of invalid) {
    test(`${format} refuses ${JSON.stringify(text)}`, () => {
      assert.equal(validate(text).length, 1);
    });
  }
  test(`${format} reads texts of a million characters in linear time`, () => {
    const start = performance.now();
    for (const text of attacks) {
      validate(text);
    }
    assert.ok(performance.now() - start < 2_000);
  });
  test(`${format} judges nothing but strings`, () => {
    for (const value of [null, true, 12, 1.5, [], {}, ['a'], { a: 'b' }]) {
      assert.deepEqual(validate(value), []);
    }
  });
}
