import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaTypeOf, prefersPage } from '../../src/http/media-types.ts';

for (const [name, contentType] of [
  ['index.html', 'text/html; charset=utf-8'],
  ['css/site.css', 'text/css; charset=utf-8'],
  ['app.js', 'text/javascript; charset=utf-8'],
  ['app.mjs', 'text/javascript; charset=utf-8'],
  ['notes.txt', 'text/plain; charset=utf-8'],
  ['data.json', 'application/json'],
  ['logo.svg', 'image/svg+xml'],
  ['photo.png', 'image/png'],
  ['font.woff2', 'font/woff2'],
  ['PHOTO.PNG', 'image/png'],
  ['archive.tar.gz', 'application/gzip'],
  ['page.html.bak', 'application/octet-stream'],
  ['html', 'application/octet-stream'],
  ['v1.html/readme', 'application/octet-stream'],
  ['name.', 'application/octet-stream'],
  ['name.constructor', 'application/octet-stream'],
] as const) {
  test(`"${name}" is sent as ${contentType}`, () => {
    assert.equal(mediaTypeOf(name).contentType, contentType);
  });
}

for (const [name, isCompressible] of [
  ['index.html', true],
  ['data.json', true],
  ['logo.svg', true],
  ['photo.png', false],
  ['font.woff2', false],
  ['unknown.bin', false],
] as const) {
  test(`"${name}" is ${isCompressible ? 'worth coding' : 'left uncoded'}`, () => {
    assert.equal(mediaTypeOf(name).isCompressible, isCompressible);
  });
}

for (const [name, isDocument] of [
  ['index.html', true],
  ['page.xhtml', true],
  ['feed.xml', true],
  ['logo.svg', true],
  ['app.js', false],
  ['notes.txt', false],
  ['unknown.bin', false],
] as const) {
  test(`"${name}" ${isDocument ? 'can' : 'cannot'} run scripts when opened as a page`, () => {
    assert.equal(mediaTypeOf(name).isDocument, isDocument);
  });
}

/** The choice between a page and JSON by `Accept` (RFC 9110 §12.5.1); in doubt, the response is JSON. */

for (const [title, accept] of [
  ['Firefox and Safari', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  [
    'Chromium',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,'
      + 'application/signed-exchange;v=b3;q=0.7',
  ],
  ['HTML only', 'text/html'],
  ['capital letters', 'Text/HTML'],
  ['a low weight above a lower one', 'text/html;q=0.2, application/json;q=0.1'],
  ['a type that weighs less than the wildcard', 'text/html;q=0.5, application/*;q=0.4, */*'],
  ['the smallest weight', 'text/html;q=0.001'],
  ['white space, and the greatest weight with zeros', 'text/html ; Q=1.000 , */* ; q=0.999'],
  ['empty elements', ',text/html,,'],
  ['the last of two weights', 'text/html;q=0, text/html'],
  ['a quoted parameter elsewhere', 'text/html, text/plain;format="flowed"'],
] as const) {
  test(`an HTML page is sent for ${title}: ${accept}`, () => assert.equal(prefersPage(accept), true));
}

for (const [title, accept] of [
  ['a request without the field', undefined],
  ['an empty field', ''],
  ['any type', '*/*'],
  ['any text', 'text/*'],
  ['JSON', 'application/json'],
  ['HTML of weight 0', 'text/html;q=0, */*'],
  ['HTML of weight 0 alone', 'text/html;q=0'],
  ['equal weights', 'text/html, application/json'],
  ['equal weights by the wildcard', 'text/html, */*'],
  ['equal weights for problem details', 'text/html;q=0.5, application/problem+json;q=0.5'],
  ['JSON that weighs more', 'text/html;q=0.9, application/json'],
  ['HTML with a parameter', 'text/html;level=1, */*;q=0.1'],
  ['a type that begins with text/html', 'text/html2'],
  ['a type that ends with text/html', 'x-text/html'],
  ["the default of Java's HttpURLConnection", 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'],
  ['a weight above 1', 'text/html;q=1.001'],
  ['a weight below 0', 'text/html;q=-1'],
  ['four decimals', 'text/html;q=0.1234'],
  ['a weight that is not a number', 'text/html, */*;q=high'],
  ['an empty weight', 'text/html;q='],
  ['two weights in one range', 'text/html;q=1;q=0'],
  ['a wildcard type with a named subtype', 'text/html, */json'],
  ['a type without a slash', 'text/html, html'],
  ['a semicolon at the end', 'text/html;'],
  ['an open quote', 'text/html, text/plain;a="b'],
  ['spaces in place of commas', 'text/html text/plain'],
] as const) {
  test(`JSON is sent for ${title}: ${accept}`, () => assert.equal(prefersPage(accept), false));
}

test('a field of 16 kB is parsed in milliseconds', () => {
  for (const part of ['text/html;', 'text/html,', ' ', 'text/html;a=', 'a/a;q=0.', '"']) {
    const startedAt = performance.now();
    prefersPage(`text/html,${part.repeat(16_384 / part.length)}`);
    assert.ok(performance.now() - startedAt < 100, part);
  }
});
