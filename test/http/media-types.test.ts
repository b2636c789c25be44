import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonMediaType, mediaTypeOf, prefersPage } from '../../src/http/media-types.ts';

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
    assert.equal(mediaTypeOf(name), contentType);
  });
}

for (const [title, accept] of [
  ['Firefox and Safari', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  [
    'Chromium',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,'
      + 'application/signed-exchange;v=b3;q=0.7',
  ],
  ['HTML only', 'text/html'],
  ['capital letters', 'Text/HTML'],
] as const) {
  test(`an HTML page is sent for ${title}: ${accept}`, () => assert.equal(prefersPage(accept), true));
}

for (const [title, accept] of [
  ['a request without the field', undefined],
  ['an empty field', ''],
  ['any type', '*/*'],
  ['JSON', 'application/json'],
  ['HTML of weight 0', 'text/html;q=0, */*'],
  ['HTML beside JSON', 'text/html, application/json'],
  ['HTML beside any type', 'text/html, */*'],
  ['JSON before HTML', 'application/json, text/html'],
  ['a type that begins with text/html', 'text/html2'],
  ['a type that ends with text/html', 'x-text/html'],
  ["the default of Java's HttpURLConnection", 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'],
] as const) {
  test(`JSON is sent for ${title}: ${accept}`, () => assert.equal(prefersPage(accept), false));
}

for (const [contentType, expected] of [
  ['application/json', true],
  ['Application/JSON', true],
  ['application/json;charset=utf-8', true],
  ['application/json ; charset=utf-8', true],
  ['application/problem+json', true],
  ['application/did+ld+json', true],
  ['application/vnd.example.v1+json; q=1', true],
  ['', false],
  ['json', false],
  ['text/json', false],
  ['text/plain', false],
  ['text/plain; application/json', false],
  ['application/x-www-form-urlencoded', false],
  ['application/json5', false],
  ['application/jsonx+xml', false],
  ['application/json, text/plain', false],
  ['application/+json', false],
  ['/a+json', false],
  ['application/json/x', false],
] as const) {
  test(`"${contentType}" is ${expected ? '' : 'not '}a media type of JSON`, () => {
    assert.equal(isJsonMediaType(contentType), expected);
  });
}
