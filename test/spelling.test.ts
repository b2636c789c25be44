import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSlip } from '../src/config.ts';

for (const [meant, slips, others] of [
  ['REGISTRATION',
    ['REGISTRATON', 'REGISTRATIION', 'REGISTRATOIN', 'REGISTRATIOM', 'EGISTRATION', 'XREGISTRATION'],
    ['REGISTRATOM', 'ERGISTRATON', 'REGISTNOITAR', 'registration']],
  ['list', ['lst', 'lists', 'lint', 'ilst', 'lits'], ['tils', 'ilts']],
  ['TLS_CERT_FILE', [], ['SSL_CERT_FILE']],
  ['PORT', [], ['TROP', '']],
] as const) {
  test(`typing mistakes for "${meant}" are [${slips.join()}], and not [${others.join()}]`, () => {
    assert.deepEqual([...slips, ...others].filter((word) => isSlip(word, meant)), slips);
  });
}
