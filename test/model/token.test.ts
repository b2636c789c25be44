import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { createToken, parseToken, toTokenDigest } from '../../src/model/token.ts';
import { each } from '../support/each.ts';

/** The checksum was computed with `zlib.crc32` of Python, and the digest with `sha256sum`. */
const KNOWN_TOKEN = `rollcall_${'A'.repeat(43)}WkSbLA`;
const KNOWN_DIGEST = '35186814a2d06ae2b00c671a56f96f2f767f7ee7fe673c88716917de88aec33b';

const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \0é'];

// spec 2.3-1
test('A new token has a prefix, 43 characters of 256 bits, and 6 characters of a checksum', () => {
  assert.match(createToken().text, /^rollcall_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048][A-Za-z0-9_-]{5}[AQgw]$/);
});

test('No two of a thousand tokens share their first 12 random characters', () => {
  const beginnings = Array.from({ length: 1000 }, () => createToken().text.slice(0, 'rollcall_'.length + 12));
  assert.equal(new Set(beginnings).size, 1000);
});

test('A token is stored as the SHA-256 of its whole text', () => {
  assert.equal(parseToken(KNOWN_TOKEN), KNOWN_DIGEST);
  assert.equal(toTokenDigest(KNOWN_TOKEN), KNOWN_DIGEST);
});

test('A new token is accepted, and refused with a changed, extra, missing or transposed character', () => {
  const token = createToken().text;
  assert.equal(parseToken(token), toTokenDigest(token));
  const changed = [...token].flatMap((character, index) => {
    const [before, after] = [token.slice(0, index), token.slice(index + 1)];
    const transposed = before + after.slice(0, 1) + character + after.slice(1);
    const others = CHARACTERS.map((other) => before + other + after);
    return [before + after, before + character + character + after, transposed, ...others];
  });
  assert.deepEqual(changed.filter((text) => text !== token && parseToken(text) !== undefined), []);
});

each('The text of {0} is not a token', [
  ['nothing', ''],
  ['the prefix alone', 'rollcall_'],
  ['a token without its prefix', KNOWN_TOKEN.slice('rollcall_'.length)],
  ['a token with a prefix in upper case', KNOWN_TOKEN.replace('rollcall_', 'ROLLCALL_')],
  ['a token without its checksum', KNOWN_TOKEN.slice(0, -6)],
  ['a token after a space', ` ${KNOWN_TOKEN}`],
  ['a token before a line end', `${KNOWN_TOKEN}\n`],
  ['a token twice', KNOWN_TOKEN + KNOWN_TOKEN],
  ['the digest of a token', KNOWN_DIGEST],
  ['a shorter body with its checksum', withChecksum(`rollcall_${'A'.repeat(42)}`)],
  ['a longer body with its checksum', withChecksum(`rollcall_${'A'.repeat(44)}`)],
  ['another prefix with its checksum', withChecksum(`rollcalL_${'A'.repeat(43)}`)],
], ([, text]) => assert.equal(parseToken(text), undefined));

function withChecksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return body + bytes.toString('base64url');
}
