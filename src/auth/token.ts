/**
 * Tokens are opaque random text, in a form that a person, a log filter or a secret scanner recognises.
 *
 *   rollcall_ + 43 characters (256 random bits in base64url, RFC 4648 §5) + 6 characters (checksum)
 *
 * The checksum is the CRC-32 of everything before it, in base64url of its four bytes, big-endian. It refuses
 * a mistyped token without a query to the database. It protects nothing, since everybody can compute it. Only
 * the SHA-256 of the whole text is stored: nobody can guess 256 random bits, so a slow hash would add nothing
 * (OWASP ASVS 6.5.2). The look-up by digest involves no comparison whose duration an attacker could measure.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { TokenDigest } from '../model/token.ts';

const PREFIX = 'rollcall_';
const RANDOM_BYTES = 32;
const CHECKSUM_LENGTH = 6;
const TOKEN_LENGTH = PREFIX.length + 43 + CHECKSUM_LENGTH;

/** Matches the form of tokens, without their checksum. No username may have it. */
export const TOKEN_PATTERN = `^${PREFIX}[A-Za-z0-9_-]{${TOKEN_LENGTH - PREFIX.length}}$`;

/** @returns A new token, to be shown once and never kept. */
export function createToken(): string {
  const body = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
  return body + checksum(body);
}

/**
 * @returns The form under which a token is stored, or `undefined` when the text cannot be a
 *   token of this service.
 */
export function parseToken(token: string): TokenDigest | undefined {
  if (token.length !== TOKEN_LENGTH || !token.startsWith(PREFIX)) {
    return undefined;
  }
  const body = token.slice(0, -CHECKSUM_LENGTH);
  return token.slice(-CHECKSUM_LENGTH) === checksum(body) ? toTokenDigest(token) : undefined;
}

export function toTokenDigest(token: string): TokenDigest {
  return hash('sha256', token, 'hex') as TokenDigest;
}

/**
 * @returns The end of a token, by which its owner recognises the token. These four characters belong to the
 *   checksum, so they reveal none of the random characters.
 */
export function toLastFour(token: string): string {
  return token.slice(-4);
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64url');
}
