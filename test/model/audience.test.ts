/** All spellings of a host must have the same normal form. */
import assert from 'node:assert/strict';
import { normalizeHost } from '../../src/model/audience.ts';
import { each } from '../support/each.ts';

each('the host "{0}" is {1}', [
  ['wiki.example.org', 'wiki.example.org'], ['WIKI.Example.ORG', 'wiki.example.org'],
  ['wiki.example.org.', 'wiki.example.org'], ['wiki.example.org.:8443', 'wiki.example.org:8443'],
  ['wiki.example.org:443', 'wiki.example.org'], ['wiki.example.org:80', 'wiki.example.org'],
  ['wiki.example.org:0443', 'wiki.example.org'], ['wiki.example.org:65535', 'wiki.example.org:65535'],
  ['bücher.example', 'xn--bcher-kva.example'], ['BÜCHER.example:8443', 'xn--bcher-kva.example:8443'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'], ['ｗｉｋｉ.example', 'wiki.example'],
  ['wiki。example', 'wiki.example'], ['faß.example', 'xn--fa-hia.example'],
  ['localhost:3000', 'localhost:3000'], ['my_wiki', 'my_wiki'], ['192.0.2.7:3000', '192.0.2.7:3000'],
  ['[::1]:3000', '[::1]:3000'], ['[2001:DB8:0::1]', '[2001:db8::1]'],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ['', undefined], ['.', undefined], ['a..b', undefined], ['wiki.example.org..', undefined],
  ['.example', undefined], ['*.example.org', undefined], ['https://wiki.example.org', undefined],
  ['wiki.example.org/', undefined], ['ada@wiki.example.org', undefined], ['wiki example', undefined],
  ['wiki.example.org:', undefined], ['wiki.example.org:0', undefined], ['wiki.example.org:65536', undefined],
  ['wiki.example.org:x', undefined], ['wiki.example.org:80:80', undefined], ['a,b', undefined],
  ['wiki%2eexample', undefined], ['wiki?example', undefined], ['wiki\\example', undefined],
  ['wiki.example\n', undefined], ['::1', undefined], ['[::1', undefined], ['[::x]', undefined],
  ['[1.2.3.4]', undefined], ['xn--iñ', undefined], [`${'a'.repeat(64)}.example`, undefined],
  [Array.from({ length: 50 }, () => 'label').join('.'), undefined],
], ([text, expected]) => assert.equal(normalizeHost(text), expected));
