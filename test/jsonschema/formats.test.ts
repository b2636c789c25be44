import assert from 'node:assert/strict';
import { compileSchema } from '../../src/jsonschema/compile.ts';
import { each } from '../support/each.ts';

const local64 = 'a'.repeat(64);
const domain189 = [63, 63, 61].map((length) => 'a'.repeat(length)).join('.');

each('The format {0} {1} each text of its list', [
  ['date-time', 'accepts',
    '2026-01-31T23:59:59Z', '2026-01-31t23:59:59z', '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.000000001+23:59', '2024-02-29T12:00:00-00:00', '2000-02-29T12:00:00Z',
  ],
  ['date-time', 'refuses',
    '', '2026-01-31', '2026-01-31 23:59:59Z', '2026-01-31T23:59:59', '2026-01-31T23:59Z',
    '2026-01-31T23:59:59.Z', '2026-01-31T23:59:59+01', '2026-01-31T23:59:59+0100', '2026-1-31T23:59:59Z',
    '+02026-01-31T23:59:59Z', '2026-00-01T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z', '2026-04-31T00:00:00Z', '2025-02-29T00:00:00Z', '1900-02-29T00:00:00Z',
    '2026-01-31T24:00:00Z', '2026-01-31T23:60:00Z', '2026-01-31T23:59:61Z', '2026-01-31T23:59:59+24:00',
    '2026-01-31T23:59:59+00:60', '2016-12-31T23:59:60Z', ' 2026-01-31T23:59:59Z', '2026-01-31T23:59:59Z\n',
    '2026-01-3١T23:59:59Z',
  ],
  ['email', 'accepts',
    'a@b', 'first.last+tag@sub.example.com', "!#$%&'*+-/=?^_`{|}~@example.com", `${local64}@${domain189}`,
  ],
  ['email', 'refuses',
    '', '@', 'a', 'a@', '@b', 'a@b@c', '.a@b', 'a.@b', 'a..b@c', 'a b@c', 'a@b c', 'a@-b', 'a@b.',
    'a@b_c', 'a,b@c', 'a@b, c@d', 'A <a@b>', '"a b"@c', 'a@[127.0.0.1]', 'é@example.com', 'a@exämple.com',
    'a@b\n', `a${local64}@b`, `${local64}@${domain189}a`,
  ],
], ([format, verdict, ...texts]) => {
  const validate = compileSchema({ format });
  for (const text of texts) {
    assert.equal(validate(text).length, verdict === 'accepts' ? 0 : 1, text);
  }
});

const long = 1_000_000;

each('A validator of {0} accepts what is no text, and reads a million characters in linear time', [
  'date-time', 'email',
], (format) => {
  const validate = compileSchema({ format });
  const others = [null, true, 12, 1.5, [], {}, ['a'], { a: 'b' }];
  assert.deepEqual(others.flatMap((other) => validate(other)), []);
  const before = process.cpuUsage();
  [ // a careless regular expression needs quadratic time or more
    'a'.repeat(long), `${'a.'.repeat(long)}@`, 'a@'.repeat(long), `a@${'a-'.repeat(long)}.`,
    `2026-01-31T23:59:59.${'0'.repeat(long)}`, `2026-01-31T23:59:60.${'0'.repeat(long)}z `,
  ].forEach((text) => validate(text));
  assert.ok(process.cpuUsage(before).user < 2_000_000);
});
