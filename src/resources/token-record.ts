/** Tokens as lists show them, without their secret text. */
import { describe, nullable, object, optional, text, type ValueOf } from '../jsonschema/typed.ts';
import type { Timestamp } from '../model/clock.ts';
import type { Token } from '../model/token.ts';
import { expirationDate, id, timestamp, tokenScope, username } from './schemas.ts';

export const tokenMembers = {
  id: id(7, 'Identifies the token in paths. It is no secret.'),
  name: text({
    maxLength: 100, description: 'The name that its owner chose; may be empty.', example: 'laptop',
  }),
  last_four: text({
    maxLength: 4, description: 'The last characters of the token, as a reminder.', example: 'NNYw',
  }),
  scope: tokenScope,
  date_created: timestamp('2026-01-31T12:10:00.000Z'),
  expiration_date: expirationDate,
  last_used: nullable(timestamp('2026-01-31T12:20:00.000Z'), {
    description: 'When the token was last used, exact to a minute; `null` before its first use.',
  }),
};

export const tokenRecord = object(tokenMembers, { description: 'A token without its secret text.' });

export const listedToken = object({
  ...tokenMembers,
  username: optional(describe(username, { description: 'The owner; present only with `all_users=true`.' })),
}, { description: 'A token as lists show it.' });

export function toTokenRecord(
  { id, name, lastFour, scope, dateCreated, expiresAt, lastUsed }: Token,
): ValueOf<typeof tokenRecord> {
  return {
    id,
    name,
    last_four: lastFour,
    scope,
    date_created: dateCreated,
    expiration_date: withoutZone(expiresAt),
    last_used: lastUsed ?? null,
  };
}

/** The record of a token in a list of all users. */
export function toOwnedRecord(
  token: Token & { readonly username: string },
): ValueOf<typeof listedToken> {
  return { ...toTokenRecord(token), username: token.username };
}

/** The specification asks for this date without a zone designator; it is UTC all the same. */
export function withoutZone(timestamp: Timestamp): string {
  return timestamp.slice(0, -1);
}
