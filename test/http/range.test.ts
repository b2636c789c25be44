import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectRange } from '../../src/http/range.ts';

for (const [header, expected] of [
  [undefined, { kind: 'whole' }],
  ['', { kind: 'whole' }],

  // first-last
  ['bytes=0-0', { kind: 'part', first: 0, last: 0 }],
  ['bytes=0-9', { kind: 'part', first: 0, last: 9 }],
  ['bytes=3-6', { kind: 'part', first: 3, last: 6 }],
  ['bytes=9-9', { kind: 'part', first: 9, last: 9 }],
  ['bytes=9-10', { kind: 'part', first: 9, last: 9 }],
  ['bytes=003-006', { kind: 'part', first: 3, last: 6 }],
  ['bytes=10-10', { kind: 'unsatisfiable' }],
  ['bytes=4-3', { kind: 'whole' }],
  ['bytes=11-10', { kind: 'whole' }],

  // first-
  ['bytes=0-', { kind: 'part', first: 0, last: 9 }],
  ['bytes=9-', { kind: 'part', first: 9, last: 9 }],
  ['bytes=10-', { kind: 'unsatisfiable' }],

  // -length
  ['bytes=-1', { kind: 'part', first: 9, last: 9 }],
  ['bytes=-10', { kind: 'part', first: 0, last: 9 }],
  ['bytes=-11', { kind: 'part', first: 0, last: 9 }],
  ['bytes=-0', { kind: 'unsatisfiable' }],

  // Numbers are rounded beyond 2^53, and infinite beyond 2^1024.
  ['bytes=0-9007199254740993', { kind: 'part', first: 0, last: 9 }],
  ['bytes=9007199254740993-', { kind: 'unsatisfiable' }],
  [`bytes=1-${'9'.repeat(400)}`, { kind: 'part', first: 1, last: 9 }],
  [`bytes=-${'9'.repeat(400)}`, { kind: 'part', first: 0, last: 9 }],
  [`bytes=${'9'.repeat(400)}-`, { kind: 'unsatisfiable' }],

  // Unit names ignore case; other units and malformed ranges are ignored.
  ['BYTES=0-0', { kind: 'part', first: 0, last: 0 }],
  ['lines=0-0', { kind: 'whole' }],
  ['bytes', { kind: 'whole' }],
  ['bytes=', { kind: 'whole' }],
  ['bytes=-', { kind: 'whole' }],
  ['bytes=5', { kind: 'whole' }],
  ['bytes=0--1', { kind: 'whole' }],
  ['bytes=+1-2', { kind: 'whole' }],
  ['bytes=1.0-2', { kind: 'whole' }],
  ['bytes=0x1-2', { kind: 'whole' }],
  ['bytes=a-b', { kind: 'whole' }],
  ['bytes=١-٢', { kind: 'whole' }],
  ['bytes= 0-0', { kind: 'whole' }],
  ['bytes=0-0 ', { kind: 'whole' }],
  ['bytes 0-0', { kind: 'whole' }],
  ['0-0', { kind: 'whole' }],

  // Several ranges select the whole content.
  ['bytes=0-0,2-2', { kind: 'whole' }],
  ['bytes=0-0, bytes=2-2', { kind: 'whole' }],
  [`bytes=${Array(1300).fill('0-').join(',')}`, { kind: 'whole' }],
] as const) {
  test(`Range "${shorten(header)}" of 10 bytes selects ${expected.kind}`, () => {
    assert.deepEqual(selectRange(header, 10), expected);
  });
}

for (const [header, expected] of [
  ['bytes=0-', { kind: 'unsatisfiable' }],
  ['bytes=0-0', { kind: 'unsatisfiable' }],
  ['bytes=-0', { kind: 'unsatisfiable' }],
  ['bytes=-1', { kind: 'whole' }],
] as const) {
  test(`Range "${header}" of an empty file selects ${expected.kind}`, () => {
    assert.deepEqual(selectRange(header, 0), expected);
  });
}

function shorten(header = '(absent)'): string {
  return header.length > 40 ? `${header.slice(0, 40)}… (${header.length} characters)` : header;
}
