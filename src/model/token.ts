/**
 * Tokens are random text, in a form that log filters and secret scanners can recognise:
 *
 *   rollcall_ + 43 characters (256 random bits in base64url, RFC 4648 §5) + 6 characters (CRC-32).
 *
 * Thanks to the checksum, a mistyped token is refused without a database query. Only the SHA-256 of a token
 * is stored. A slow hash would add no security (OWASP ASVS 6.5.2), because nobody can guess 256 random bits.
 * Tokens are found by their digest, so the duration of a comparison reveals nothing.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Timestamp } from './clock.ts';
import type { UserId } from './user.ts';

export type TokenDigest = string & { readonly __brand: 'TokenDigest' };

export type TokenId = number & { readonly __brand: 'TokenId' };

/**
 * A `full` token can do everything that needs no password. A `read_only` token can only read, and an
 * `identity` token can only show who its owner is. A `set_password` token can do nothing except set the
 * password of its user. All tokens except `set_password` tokens can also revoke themselves.
 */
export const TOKEN_SCOPES = ['full', 'read_only', 'identity', 'set_password'] as const;

export type TokenScope = (typeof TOKEN_SCOPES)[number];

export interface Token {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly name: string;
  readonly lastFour: string;
  readonly scope: TokenScope;
  /** The hosts that accept the token; `undefined` if this service and all programs accept the token. */
  readonly audience: readonly string[] | undefined;
  readonly dateCreated: Timestamp;
  readonly expiresAt: Timestamp;
  /** The time of the last use, exact to a minute; `undefined` if the token was never used. */
  readonly lastUsed: Timestamp | undefined;
}

const PREFIX = 'rollcall_';

/** Matches every text that looks like a token, even with a wrong checksum. No username can have this form. */
export const TOKEN_PATTERN = `^${PREFIX}[A-Za-z0-9_-]{49}$`;
const FORM = new RegExp(TOKEN_PATTERN);

export function createToken() {
  const body = PREFIX + randomBytes(32).toString('base64url');
  const text = body + checksum(body);
  return { text, digest: toTokenDigest(text), lastFour: text.slice(-4) };
}

export function parseToken(token: string): TokenDigest | undefined {
  return FORM.test(token) && token.endsWith(checksum(token.slice(0, -6)))
    ? toTokenDigest(token)
    : undefined;
}

export function toTokenDigest(token: string): TokenDigest {
  return hash('sha256', token, 'hex') as TokenDigest;
}

function checksum(body: string): string {
  return Buffer.from(crc32(body).toString(16).padStart(8, '0'), 'hex').toString('base64url');
}

/** Requests with a token can use only 90 % of a limit, so the thief of a token cannot lock out the owner. */
export const limitWithToken = (limit: number): number => Math.max(1, Math.floor(0.9 * limit));
