import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonMediaType, mediaTypeOf, prefersPage } from '../../src/http/media-types.ts';

for (const [name, contentType] of [
  ['index.html', 'text/html; charset=utf-8'], ['css/site.css', 'text/css; charset=utf-8'],
  ['app.js', 'text/javascript; charset=utf-8'], ['app.mjs', 'text/javascript; charset=utf-8'],
  ['notes.txt', 'text/plain; charset=utf-8'], ['data.json', 'application/json'],
  ['logo.svg', 'image/svg+xml'], ['photo.png', 'image/png'], ['PHOTO.PNG', 'image/png'],
  ['font.woff2', 'font/woff2'], ['archive.tar.gz', 'application/gzip'],
  ...['page.html.bak', 'html', 'v1.html/readme', 'name.', 'name.constructor']
    .map((unknown) => [unknown, 'application/octet-stream'] as const),
] as const) {
  test(`"${name}" is sent as ${contentType}`, () => assert.equal(mediaTypeOf(name), contentType));
}

// api/27-doors.test.ts tests the fields `Accept` of other browsers and of programs.
for (const [accept, expected] of [
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true], // Chromium
  ['text/html', true], ['Text/HTML', true], ['text/html, application/json', false],
  ['application/json, text/html', false], ['text/html2', false], ['x-text/html', false],
] as const) {
  test(`a client that accepts ${accept} ${expected ? 'gets pages' : 'gets JSON'}`, () => {
    assert.equal(prefersPage(accept), expected);
  });
}

for (const [contentTypes, isJson] of [
  [[
    'application/json', 'Application/JSON', 'application/json;charset=utf-8',
    'application/json ; charset=utf-8', 'application/problem+json', 'application/did+ld+json',
    'application/vnd.example.v1+json; q=1',
  ], true],
  [[
    '', 'json', 'text/json', 'text/plain', 'text/plain; application/json', 'application/json5',
    'application/x-www-form-urlencoded', 'application/jsonx+xml', 'application/json, text/plain',
    'application/+json', '/a+json', 'application/json/x',
  ], false],
] as const) {
  for (const contentType of contentTypes) {
    test(`"${contentType}" ${isJson ? 'is' : 'is not'} a media type of JSON`, () => {
      assert.equal(isJsonMediaType(contentType), isJson);
    });
  }
}
