import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeError } from '../../src/telemetry/error-text.ts';
import { each } from '../support/each.ts';

test('An error is described with its stack and all its causes', () => {
  const error = new Error('outer', { cause: new TypeError('middle', { cause: 'inner' }) });
  const text = describeError(error);
  assert.match(text, /^Error: outer\n +at [^]*\nCaused by: TypeError: middle\n +at [^]*\nCaused by: inner$/);
});

each('The thrown value {0} is described as "{1}"', [
  ['text', 'text'], [undefined, 'undefined'], [null, 'null'], [42, '42'],
], ([thrown, expected]) => assert.equal(describeError(thrown), expected));
