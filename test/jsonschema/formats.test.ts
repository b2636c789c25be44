import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema } from '../../src/jsonschema/compile.ts';

const local64 = 'a'.repeat(64);
const domain189 = [63, 63, 61].map((length) => 'a'.repeat(length)).join('.');

const examples = {
  'date-time': {
    valid: [
      '2026-01-31T23:59:59Z', '2026-01-31t23:59:59z', '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59.000000001+23:59', '2024-02-29T12:00:00-00:00', '2000-02-29T12:00:00Z',
    ],
    invalid: [
      '', '2026-01-31', '2026-01-31 23:59:59Z', '2026-01-31T23:59:59', '2026-01-31T23:59Z',
      '2026-01-31T23:59:59.Z', '2026-01-31T23:59:59+01', '2026-01-31T23:59:59+0100', '2026-1-31T23:59:59Z',
      '+02026-01-31T23:59:59Z', '2026-00-01T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-00T00:00:00Z',
      '2026-01-32T00:00:00Z', '2026-04-31T00:00:00Z', '2025-02-29T00:00:00Z', '1900-02-29T00:00:00Z',
      '2026-01-31T24:00:00Z', '2026-01-31T23:60:00Z', '2026-01-31T23:59:61Z', '2026-01-31T23:59:59+24:00',
      '2026-01-31T23:59:59+00:60', '2016-12-31T23:59:60Z', ' 2026-01-31T23:59:59Z', '2026-01-31T23:59:59Z\n',
      '2026-01-3١T23:59:59Z',
    ],
  },
  email: {
    valid: [
      'a@b', 'first.last+tag@sub.example.com', "!#$%&'*+-/=?^_`{|}~@example.com", `${local64}@${domain189}`,
    ],
    invalid: [
      '', '@', 'a', 'a@', '@b', 'a@b@c', '.a@b', 'a.@b', 'a..b@c', 'a b@c', 'a@b c', 'a@-b', 'a@b.',
      'a@b_c', 'a,b@c', 'a@b, c@d', 'A <a@b>', '"a b"@c', 'a@[127.0.0.1]', 'é@example.com', 'a@exämple.com',
      'a@b\n', `a${local64}@b`, `${local64}@${domain189}a`,
    ],
  },
} as const;

const long = 1_000_000;
/** Texts for which a careless regular expression needs quadratic time or more. */
const attacks = [
  'a'.repeat(long), `${'a.'.repeat(long)}@`, `${'a@'.repeat(long)}`, `a@${'a-'.repeat(long)}.`,
  `2026-01-31T23:59:59.${'0'.repeat(long)}`, `2026-01-31T23:59:60.${'0'.repeat(long)}z `,
];

for (const format of ['date-time', 'email'] as const) {
  const validate = compileSchema({ format });
  const { valid, invalid } = examples[format];
  const others = [null, true, 12, 1.5, [], {}, ['a'], { a: 'b' }]; // only texts can violate a format
  for (const [values, verdict, count] of [
    [[...valid, ...others], 'accepts', 0], [invalid, 'refuses', 1],
  ] as const) {
    for (const value of values) {
      test(`${format} ${verdict} ${JSON.stringify(value)}`, () => {
        assert.equal(validate(value).length, count);
      });
    }
  }
  test(`${format} reads texts of a million characters in linear time`, () => {
    const before = process.cpuUsage();
    attacks.forEach(validate);
    assert.ok(process.cpuUsage(before).user < 2_000_000);
  });
}
