import assert from 'node:assert/strict';
import { parseDatabaseUrl } from '../../src/database/location.ts';
import { each } from '../support/each.ts';

const LOCAL = { host: '127.0.0.1', port: 4001 };

const file = (path: string) => ({ driver: 'sqlite', path });
const cluster = (changes: object) =>
  ({ driver: 'rqlite', nodes: [LOCAL], usesTls: false, credentials: undefined, ...changes });

each('"{0}" names a database', [
  ['sqlite:data/service.sqlite', file('data/service.sqlite')],
  ['sqlite:/var/lib/rollcall.sqlite', file('/var/lib/rollcall.sqlite')],
  ['sqlite:///var/lib/rollcall.sqlite', file('///var/lib/rollcall.sqlite')],
  ['sqlite::memory:', file(':memory:')],
  ['sqlite:with space', file('with space')],
  ['sqlite:data.sqlite?synchronous=full', file('data.sqlite')],
  ['sqlite:data.sqlite?synchronous=normal', { ...file('data.sqlite'), synchronous: 'normal' }],
  ['rqlite://127.0.0.1:4001', cluster({})],
  ['rqlite://127.0.0.1:4001?tls=1', cluster({ usesTls: true })],
  ['rqlite://a.example:1,b-2_c:65535',
    cluster({ nodes: [{ host: 'a.example', port: 1 }, { host: 'b-2_c', port: 65_535 }] })],
  ['rqlite://[::1]:4001,127.0.0.1:4001', cluster({ nodes: [{ host: '::1', port: 4001 }, LOCAL] })],
  ['rqlite://ada:secret@127.0.0.1:4001', cluster({ credentials: { username: 'ada', password: 'secret' } })],
  ['rqlite://ada:@127.0.0.1:4001', cluster({ credentials: { username: 'ada', password: '' } })],
  ['rqlite://a%C3%A4:p%40s%3As%2F%3F@127.0.0.1:4001?tls=1',
    cluster({ usesTls: true, credentials: { username: 'aä', password: 'p@s:s/?' } })],
], ([url, expected]) => {
  assert.deepEqual(parseDatabaseUrl(url), expected);
});

each('"{0}" names no database', [
  '', 'data/service.sqlite', ':memory:', 'postgres://localhost/rollcall', 'http://127.0.0.1:4001',
  'sqlite:', 'sqlite:data.sqlite?synchronous=off', 'sqlite:data.sqlite?mode=ro', 'SQLITE:data.sqlite',
  'sqlite3:data.sqlite', ' sqlite:data.sqlite',
  'rqlite://', 'rqlite:127.0.0.1:4001', 'RQLITE://127.0.0.1:4001', ' rqlite://127.0.0.1:4001',
  'rqlite://127.0.0.1', 'rqlite://127.0.0.1:', 'rqlite://127.0.0.1:0', 'rqlite://127.0.0.1:65536',
  'rqlite://127.0.0.1:4001x', 'rqlite://a:4001\n',
  'rqlite://:4001', 'rqlite://a b:4001', 'rqlite://::1:4001', 'rqlite://a:4001,', 'rqlite://,a:4001',
  'rqlite://a:4001,,b:4001', 'rqlite://a:4001/', 'rqlite://a:4001/db', 'rqlite://a:4001?tls=0',
  'rqlite://a:4001?tls', 'rqlite://a:4001?level=none',
  'rqlite://ada@a:4001', 'rqlite://:secret@a:4001', 'rqlite://ada:p@ss@a:4001', 'rqlite://ada:100%@a:4001',
], (url) => {
  assert.equal(parseDatabaseUrl(url), undefined);
});
