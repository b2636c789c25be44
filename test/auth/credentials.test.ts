import assert from 'node:assert/strict';
import { parseCredentials } from '../../src/auth/credentials.ts';
import { each } from '../support/each.ts';

/** The checksum of this token is valid, but the token belongs to no user. */
const TOKEN = `rollcall_${'A'.repeat(43)}WkSbLA`;
const PERCENT = Array.from(TOKEN, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');

/** If the field `Authorization` is missing or malformed, the result is an empty token. */
const MALFORMED = { kind: 'token', token: '' };

const toPassword = (username: string, password: string) => ({ kind: 'password', username, password });
const toToken = (token: string, username?: string) =>
  ({ kind: 'token', token, ...(username !== undefined && { username }) });

// In the first column, `PERCENT` stands for the percent-encoded form of `TOKEN`.
each('Basic credentials of "{0}" are {1}', [
  // The first colon separates the username from the password.
  ['ann:secret', 'password', toPassword('ann', 'secret')],
  ['ann:a:b', 'password', toPassword('ann', 'a:b')],
  ['ann::', 'password', toPassword('ann', ':')],
  ['ann: ', 'password', toPassword('ann', ' ')],
  [' ann :secret', 'password', toPassword(' ann ', 'secret')],
  ['ann:a\0b', 'password', toPassword('ann', 'a\0b')],

  // If the username is a token, the password is ignored. A text that only resembles a token is a username.
  ['TOKEN:unused', 'token', toToken(TOKEN)],
  ['TOKEN::', 'token', toToken(TOKEN)],
  ['TOKENx:unused', 'password', toPassword(`${TOKEN}x`, 'unused')],
  [`${TOKEN.toUpperCase()}:unused`, 'password', toPassword(TOKEN.toUpperCase(), 'unused')],
  ['rollcall_x:unused', 'password', toPassword('rollcall_x', 'unused')],

  // If the password is a well-formed token, it counts as a token, even if it is percent-encoded.
  ['ann:TOKEN', 'token', toToken(TOKEN, 'ann')],
  ['Ann%40home:PERCENT', 'token', toToken(TOKEN, 'Ann@home')],
  ['100%:TOKEN', 'token', toToken(TOKEN, '100%')],
  ['ann:TOKENx', 'password', toPassword('ann', `${TOKEN}x`)],
  ['ann: TOKEN', 'password', toPassword('ann', ` ${TOKEN}`)],
  ['ann%40home:a%40b', 'password', toPassword('ann%40home', 'a%40b')],
  [':TOKEN', 'malformed', MALFORMED],
  ['TOKEN:TOKEN', 'token', toToken(TOKEN)],

  // Without a password, the username counts as a token.
  ['rollcall_x:', 'token', toToken('rollcall_x')],
  ['rollcall_x', 'token', toToken('rollcall_x')],
  ['', 'malformed', MALFORMED],
  [':', 'malformed', MALFORMED],
  ['::', 'malformed', MALFORMED],
  [':secret', 'malformed', MALFORMED],
  ['ann:' + '\u0301\u0327'.repeat(16), 'malformed', MALFORMED],

  // The parser normalizes text to NFC. Characters above U+FFFF stay unchanged.
  ['jose\u0301:cafe\u0301', 'password', toPassword('jos\u00e9', 'caf\u00e9')],
  ['ann:🗝️', 'password', toPassword('ann', '🗝️')],
], ([content, , expected]) => {
  const text = content.replaceAll('TOKEN', TOKEN).replace('PERCENT', PERCENT);
  assert.deepEqual(parseCredentials(`Basic ${Buffer.from(text).toString('base64')}`), expected);
});

each('In Basic credentials, {0}', [
  ['valid UTF-8 is UTF-8, although it could be Latin-1', [0xc3, 0xa9], '\u00e9'],
  ['a byte that is not valid UTF-8 is Latin-1', [0xe9], '\u00e9'],
  ['one invalid byte makes the whole text Latin-1', [0xc3, 0xa9, 0xe9], '\u00c3\u00a9\u00e9'],
  ['an overlong form is Latin-1', [0xc0, 0xaf], '\u00c0\u00af'],
  ['a surrogate in UTF-8 is Latin-1', [0xed, 0xa0, 0x80], '\u00ed\u00a0\u0080'],
], ([, bytes, password]) => {
  const content = Buffer.concat([Buffer.from('ann:'), Buffer.from(bytes)]);
  assert.deepEqual(parseCredentials(`Basic ${content.toString('base64')}`), toPassword('ann', password));
});

each('"{0}" is parsed as {1}', [
  ...['Basic YW5uOmE=', 'basic YW5uOmE=', 'BASIC YW5uOmE=', 'Basic   YW5uOmE=', 'Basic YW5uOmE']
    .map((field) => [field, toPassword('ann', 'a')] as const),
  ['Bearer rollcall_x', toToken('rollcall_x')], ['bearer rollcall_x', toToken('rollcall_x')],
  ['BEARER  Rollcall_x', toToken('Rollcall_x')],
  ['Bearer AZaz09-._~+/==', toToken('AZaz09-._~+/==')],
], ([field, expected]) => assert.deepEqual(parseCredentials(field), expected));

// spec 5-8
each('The field "{0}" is malformed', [
  undefined, '', ' ', 'Basic', 'Basic ', 'Bearer', 'Bearer ', 'YW5uOmE=',
  // The field must contain a scheme, spaces and credentials, in this order, and nothing else.
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
], (field) => assert.deepEqual(parseCredentials(field), MALFORMED));
