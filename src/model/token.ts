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

/** The record of a token, without its text, which is shown only once. */
export interface Token {
  readonly id: TokenId;
  readonly userId: UserId;
  /** The name that its owner chose; may be empty. */
  readonly name: string;
  /** The end of its text, by which its owner recognises it. */
  readonly lastFour: string;
  readonly scope: TokenScope;
  readonly dateCreated: Timestamp;
  readonly expiresAt: Timestamp;
  /** The last use, exact to a minute; `undefined` when the token has not been used. */
  readonly lastUsed: Timestamp | undefined;
}
