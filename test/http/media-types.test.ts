import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaTypeOf } from '../../src/http/media-types.ts';

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
