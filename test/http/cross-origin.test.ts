import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corsHeaders, preflightHeaders } from '../../src/http/cross-origin.ts';

for (const origin of ['*', 'https://console.example']) {
  test(`Scripts of ${origin} may read the fields of lists, but not use the browser's credentials`, () => {
    const headers = corsHeaders(origin);
    assert.equal(headers['Access-Control-Allow-Origin'], origin);
    const exposed = headers['Access-Control-Expose-Headers']?.split(', ') ?? [];
    const missing = ['Count', 'Total', 'Total-Relation', 'page', 'items_per_page', 'Link', 'Location']
      .filter((name) => !exposed.includes(name));
    assert.deepEqual(missing, []);
    assert.equal('Access-Control-Allow-Credentials' in headers, false);
  });
}

test('A preflight response lists the methods of the resource, and Authorization by name', () => {
  const headers = preflightHeaders(['GET', 'HEAD', 'OPTIONS']);
  assert.equal(headers['Allow'], 'GET, HEAD, OPTIONS');
  assert.equal(headers['Access-Control-Allow-Methods'], 'GET, HEAD, OPTIONS');
  assert.match(headers['Access-Control-Allow-Headers'] ?? '', /(^|, )Authorization(,|$)/);
  assert.doesNotMatch(headers['Access-Control-Allow-Headers'] ?? '', /\*/);
  assert.equal('Access-Control-Allow-Credentials' in headers, false);
});
