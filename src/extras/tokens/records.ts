/** The records of tokens, as the operations on `/api/v1/tokens` show them. */
import { idInPath } from '../../api/parameters.ts';
import { describe, object, optional, type ValueOf } from '../../jsonschema/typed.ts';
import type { Token, TokenId } from '../../model/token.ts';
import { tokenMembers, toTokenRecord, username } from '../../resources/schemas.ts';
import { tokenText } from '../../resources/tokens.ts';

export const tokenInPath = {
  token_id: idInPath<TokenId>('The id of a token, as lists show it; not the token itself.', 7),
};

export const listedToken = object({
  ...tokenMembers,
  username: optional(describe(username, { description: 'The owner; present only with `all_users=true`.' })),
}, { description: 'A token as lists show it.' });

export const createdToken = object({ token: tokenText, ...tokenMembers });

/** @returns The answer that shows a new token. */
export function toCreatedToken(token: string, record: Token) {
  const shown: ValueOf<typeof createdToken> = { token, ...toTokenRecord(record) };
  return { json: JSON.stringify(shown), location: `/api/v1/tokens/${record.id}` };
}
