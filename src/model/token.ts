/** SHA-256 of a token's text, in hexadecimal: the only form in which a token is stored. */
export type TokenDigest = string & { readonly __brand: 'TokenDigest' };
