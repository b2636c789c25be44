import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSlip } from '../src/config.ts';

for (const [written, meant, expected] of [
  ['REGISTRATON', 'REGISTRATION', true],
  ['REGISTRATIION', 'REGISTRATION', true],
  ['REGISTRATOIN', 'REGISTRATION', false],
  ['REGISTRATIOM', 'REGISTRATION', true],
  ['EGISTRATION', 'REGISTRATION', true],
  ['XREGISTRATION', 'REGISTRATION', true],
  ['REGISTRATOM', 'REGISTRATION', false],
  ['ERGISTRATON', 'REGISTRATION', false],
  ['REGISTNOITAR', 'REGISTRATION', false],
  ['SSL_CERT_FILE', 'TLS_CERT_FILE', false],
  ['registration', 'REGISTRATION', false],
  ['PORTT', 'PORT', false],
  ['PORTS', 'PORT', false],
  ['POT', 'PORT', false],
  ['SORT', 'PORT', false],
  ['TROP', 'PORT', false],
  ['', 'PORT', false],
] as const) {
  test(`"${written}" is ${expected ? '' : 'not '}recognized as a typing mistake for "${meant}"`, () => {
    assert.equal(isSlip(written, meant), expected);
  });
}

test('With short words included, one letter may be wrong, missing or extra', () => {
  const words = ['lst', 'lists', 'lint', 'tli'];
  assert.deepEqual(words.map((word) => isSlip(word, 'list', 1)), [true, true, true, false]);
});
