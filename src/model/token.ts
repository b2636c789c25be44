import type { Timestamp } from './clock.ts';
import type { UserId } from './user.ts';

/** SHA-256 of a token's text, in hexadecimal: the only form in which a token is stored. */
export type TokenDigest = string & { readonly __brand: 'TokenDigest' };

/** A token's id, assigned by the database and never reused; it is no secret. */
export type TokenId = number & { readonly __brand: 'TokenId' };

/**
 * The rights of a token: all rights of its owner, only what changes nothing, only to tell who the owner is,
 * or only to set a password once. Operations list the scopes that may call them.
 */
export const TOKEN_SCOPES = ['full', 'read_only', 'identity', 'set_password'] as const;

export type TokenScope = (typeof TOKEN_SCOPES)[number];

/**
 * The part of a limit per user that callers with a token may use: nine tenths, and always at least one less
 * than the limit, if that is above 1. So a thief of a token leaves room for the owner to sign in.
 */
export function limitWithToken(limit: number): number {
  return Math.max(1, Math.min(Math.floor(0.9 * limit), limit - 1));
}

/** The record of a token, without its text, which is shown only once. */
export interface Token {
  readonly id: TokenId;
  readonly userId: UserId;
  /** The name that its owner chose; may be empty. */
  readonly name: string;
  /** The end of its text, by which its owner recognises it. */
  readonly lastFour: string;
  readonly scope: TokenScope;
  /** The hosts of the programs that the token is for; `undefined` if it is for all, and for this service. */
  readonly audience: readonly string[] | undefined;
  readonly dateCreated: Timestamp;
  readonly expiresAt: Timestamp;
  /** The last use, exact to a minute; `undefined` when the token has not been used. */
  readonly lastUsed: Timestamp | undefined;
}
