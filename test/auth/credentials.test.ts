import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCredentials } from '../../src/auth/credentials.ts';
import { createToken } from '../../src/model/token.ts';

const TOKEN = createToken().text;

/** If the field `Authorization` is missing or malformed, the service reads an empty token. */
const MALFORMED = { kind: 'token', token: '' } as const;

function toPercent(text: string): string {
  return Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
}

for (const [content, expected] of [
  // Credentials are split at the first colon.
  ['ann:secret', { kind: 'password', username: 'ann', password: 'secret' }],
  ['ann:a:b', { kind: 'password', username: 'ann', password: 'a:b' }],
  ['ann::', { kind: 'password', username: 'ann', password: ':' }],
  ['ann: ', { kind: 'password', username: 'ann', password: ' ' }],
  [' ann :secret', { kind: 'password', username: ' ann ', password: 'secret' }],
  ['ann:a\0b', { kind: 'password', username: 'ann', password: 'a\0b' }],

  // If the username is a token, the password is ignored. A text that only resembles a token is a username.
  [`${TOKEN}:unused`, { kind: 'token', token: TOKEN }],
  [`${TOKEN}::`, { kind: 'token', token: TOKEN }],
  [`${TOKEN}x:unused`, { kind: 'password', username: `${TOKEN}x`, password: 'unused' }],
  [`${TOKEN.toUpperCase()}:unused`, { kind: 'password', username: TOKEN.toUpperCase(), password: 'unused' }],
  ['rollcall_x:unused', { kind: 'password', username: 'rollcall_x', password: 'unused' }],

  // A well-formed token in place of the password is read as a token, even if it is percent-encoded.
  [`ann:${TOKEN}`, { kind: 'token', token: TOKEN, username: 'ann' }],
  [`Ann%40home:${toPercent(TOKEN)}`, { kind: 'token', token: TOKEN, username: 'Ann@home' }],
  [`100%:${TOKEN}`, { kind: 'token', token: TOKEN, username: '100%' }],
  [`ann:${TOKEN}x`, { kind: 'password', username: 'ann', password: `${TOKEN}x` }],
  [`ann: ${TOKEN}`, { kind: 'password', username: 'ann', password: ` ${TOKEN}` }],
  [`ann%40home:a%40b`, { kind: 'password', username: 'ann%40home', password: 'a%40b' }],
  [`:${TOKEN}`, MALFORMED],
  [`${TOKEN}:${TOKEN}`, { kind: 'token', token: TOKEN }],

  // Without a password, the username is read as a token.
  ['rollcall_x:', { kind: 'token', token: 'rollcall_x' }],
  ['rollcall_x', { kind: 'token', token: 'rollcall_x' }],
  ['', MALFORMED],
  [':', MALFORMED],
  ['::', MALFORMED],
  [':secret', MALFORMED],
  ['ann:' + '\u0301\u0327'.repeat(16), MALFORMED],

  // Text is normalized to NFC. Characters above U+FFFF stay unchanged.
  ['jose\u0301:cafe\u0301', { kind: 'password', username: 'jos\u00e9', password: 'caf\u00e9' }],
  ['ann:🗝️', { kind: 'password', username: 'ann', password: '🗝️' }],
] as const) {
  const title = JSON.stringify(content).replaceAll(TOKEN, 'TOKEN').replace(toPercent(TOKEN), '%TOKEN');
  const kind = expected === MALFORMED ? 'malformed' : expected.kind;
  test(`Basic credentials of ${title} are ${kind}`, () => {
    assert.deepEqual(parseCredentials(toBasic(content)), expected);
  });
}

for (const [title, bytes, password] of [
  ['valid UTF-8 is UTF-8, although it could be Latin-1', [0xc3, 0xa9], '\u00e9'],
  ['a byte that is not valid UTF-8 is Latin-1', [0xe9], '\u00e9'],
  ['one invalid byte makes the whole text Latin-1', [0xc3, 0xa9, 0xe9], '\u00c3\u00a9\u00e9'],
  ['an overlong form is Latin-1', [0xc0, 0xaf], '\u00c0\u00af'],
  ['a surrogate in UTF-8 is Latin-1', [0xed, 0xa0, 0x80], '\u00ed\u00a0\u0080'],
] as const) {
  test(`Basic credentials: ${title}`, () => {
    const field = toBasic(Buffer.concat([Buffer.from('ann:'), Buffer.from(bytes)]));
    assert.deepEqual(parseCredentials(field), { kind: 'password', username: 'ann', password });
  });
}

const ann = { kind: 'password', username: 'ann', password: 'a' };

for (const [field, expected] of [
  ['Basic YW5uOmE=', ann], ['basic YW5uOmE=', ann], ['BASIC YW5uOmE=', ann], ['Basic   YW5uOmE=', ann],
  ['Basic YW5uOmE', ann],
  ['Bearer rollcall_x', { kind: 'token', token: 'rollcall_x' }],
  ['bearer rollcall_x', { kind: 'token', token: 'rollcall_x' }],
  ['BEARER  Rollcall_x', { kind: 'token', token: 'Rollcall_x' }],
  ['Bearer AZaz09-._~+/==', { kind: 'token', token: 'AZaz09-._~+/==' }],
] as const) {
  test(`"${field}" is parsed as a ${expected.kind}`, () => {
    assert.deepEqual(parseCredentials(field), expected);
  });
}

for (const field of [
  undefined, '', ' ', 'Basic', 'Basic ', 'Bearer', 'Bearer ', 'YW5uOmE=',
  // The field `Authorization` may contain only a scheme, spaces and credentials, in this order.
  'BasicYW5uOmE=', 'Basic:YW5uOmE=', 'Basic=YW5uOmE=', 'Basic\tYW5uOmE=', ' Basic YW5uOmE=',
  'Basic YW5uOmE= ', 'Basic YW5uOmE=\n', 'Basic YW5u OmE=', 'Basic YW5uOmE=, Basic YW5uOmE=',
  'Basic YW5uOmE=; charset=UTF-8', 'Basic realm="Rollcall"',
  // The credentials are not base64.
  'Basic "YW5uOmE="', 'Basic YW5=uOmE', 'Basic =', 'Basic ====', 'Basic Y', 'Basic ann:a',
  'Basic YW5uOmE%3D', 'Basic YW5uOi1f-_', 'Basic YW5uOmE~', 'Basic YW5uOmÉ=',
  // The credentials are not a token68 (RFC 9110 §11.2).
  'Bearer a b', 'Bearer a:b', 'Bearer a=b', 'Bearer tökén', 'Bearer "a"',
  // The scheme is unknown.
  'Digest username="ann"', 'Negotiate YW5uOmE=', 'HMAC-SHA256 YW5uOmE=', 'Basics YW5uOmE=',
  'Token rollcall_x',
]) {
  // spec 5-8
  test(`The field ${JSON.stringify(field)} is malformed`, () => {
    assert.deepEqual(parseCredentials(field), MALFORMED);
  });
}

function toBasic(content: string | Buffer): string {
  return `Basic ${Buffer.from(content).toString('base64')}`;
}
