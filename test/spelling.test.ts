import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSlip } from '../src/config.ts';

for (const [written, meant, expected] of [
  ['REGISTRATON', 'REGISTRATION', true],
  ['REGISTRATIION', 'REGISTRATION', true],
  ['REGISTRATOIN', 'REGISTRATION', true],
  ['REGISTRATIOM', 'REGISTRATION', true],
  ['EGISTRATION', 'REGISTRATION', true],
  ['XREGISTRATION', 'REGISTRATION', true],
  ['REGISTRATOM', 'REGISTRATION', false],
  ['ERGISTRATON', 'REGISTRATION', false],
  ['REGISTNOITAR', 'REGISTRATION', false],
  ['SSL_CERT_FILE', 'TLS_CERT_FILE', false],
  ['registration', 'REGISTRATION', false],
  ['lst', 'list', true],
  ['lists', 'list', true],
  ['lint', 'list', true],
  ['ilst', 'list', true],
  ['TROP', 'PORT', false],
  ['lits', 'list', true],
  ['tils', 'list', false],
  ['ilts', 'list', false],
  ['', 'PORT', false],
] as const) {
  test(`"${written}" is ${expected ? '' : 'not '}recognized as a typing mistake for "${meant}"`, () => {
    assert.equal(isSlip(written, meant), expected);
  });
}
