import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDatabaseUrl } from '../../src/database/location.ts';

test('A URL may allow commits that do not wait for the disk', () => {
  const location = { driver: 'sqlite', path: 'data.sqlite', synchronous: 'normal' };
  assert.deepEqual(parseDatabaseUrl('sqlite:data.sqlite?synchronous=normal'), location);
});

for (const [url, path] of [
  ['sqlite:data/service.sqlite', 'data/service.sqlite'],
  ['sqlite:/var/lib/rollcall.sqlite', '/var/lib/rollcall.sqlite'],
  ['sqlite:///var/lib/rollcall.sqlite', '///var/lib/rollcall.sqlite'],
  ['sqlite::memory:', ':memory:'],
  ['sqlite:with space', 'with space'],
  ['sqlite:data.sqlite?synchronous=full', 'data.sqlite'],
  ['sqlite:data.sqlite?synchronous=off', undefined],
  ['sqlite:data.sqlite?mode=ro', undefined],
  ['sqlite:', undefined],
  ['', undefined],
  ['data/service.sqlite', undefined],
  [':memory:', undefined],
  ['SQLITE:data.sqlite', undefined],
  ['sqlite3:data.sqlite', undefined],
  [' sqlite:data.sqlite', undefined],
  ['postgres://localhost/rollcall', undefined],
] as const) {
  test(`The URL "${url}" names ${path === undefined ? 'no database' : `the file "${path}"`}`, () => {
    assert.deepEqual(parseDatabaseUrl(url), path === undefined ? undefined : { driver: 'sqlite', path });
  });
}

const LOCAL = { host: '127.0.0.1', port: 4001 };
const PLAIN = { driver: 'rqlite', nodes: [LOCAL], usesTls: false, credentials: undefined };

for (const [url, expected] of [
  ['rqlite://127.0.0.1:4001', PLAIN],
  ['rqlite://127.0.0.1:4001?tls=1', { ...PLAIN, usesTls: true }],
  [
    'rqlite://a.example:1,b-2_c:65535',
    { ...PLAIN, nodes: [{ host: 'a.example', port: 1 }, { host: 'b-2_c', port: 65_535 }] },
  ],
  ['rqlite://[::1]:4001,127.0.0.1:4001', { ...PLAIN, nodes: [{ host: '::1', port: 4001 }, LOCAL] }],
  ['rqlite://ada:secret@127.0.0.1:4001', { ...PLAIN, credentials: { username: 'ada', password: 'secret' } }],
  ['rqlite://ada:@127.0.0.1:4001', { ...PLAIN, credentials: { username: 'ada', password: '' } }],
  ['rqlite://a%C3%A4:p%40s%3As%2F%3F@127.0.0.1:4001?tls=1',
    { ...PLAIN, usesTls: true, credentials: { username: 'aä', password: 'p@s:s/?' } }],
] as const) {
  test(`"${url}" names a cluster`, () => {
    assert.deepEqual(parseDatabaseUrl(url), expected);
  });
}

for (const url of [
  '', 'rqlite://', 'rqlite:127.0.0.1:4001', 'RQLITE://127.0.0.1:4001', 'http://127.0.0.1:4001',
  ' rqlite://127.0.0.1:4001',
  'rqlite://127.0.0.1', 'rqlite://127.0.0.1:', 'rqlite://127.0.0.1:0', 'rqlite://127.0.0.1:65536',
  'rqlite://127.0.0.1:4001x',
  'rqlite://:4001', 'rqlite://a b:4001', 'rqlite://::1:4001', 'rqlite://a:4001,', 'rqlite://,a:4001',
  'rqlite://a:4001,,b:4001',
  'rqlite://a:4001/', 'rqlite://a:4001/db', 'rqlite://a:4001?tls=0', 'rqlite://a:4001?tls',
  'rqlite://a:4001?level=none',
  'rqlite://ada@a:4001', 'rqlite://:secret@a:4001', 'rqlite://ada:p@ss@a:4001', 'rqlite://ada:100%@a:4001',
  'rqlite://a:4001\n',
]) {
  test(`${JSON.stringify(url)} names no database`, () => {
    assert.equal(parseDatabaseUrl(url), undefined);
  });
}
