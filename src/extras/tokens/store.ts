/** Reads the records of valid tokens. The file `stores/tokens.ts` writes these records. */
import { raw, readOne, sql, type Database } from '../../database/database.ts';
import type { Timestamp } from '../../model/clock.ts';
import type { TokenId } from '../../model/token.ts';
import type { UserId } from '../../model/user.ts';
import { listJson, type JsonPage, type ListRequest } from '../../stores/list.ts';
import { text, toObject } from '../../stores/representations.ts';
import { toToken, TOKEN_COLUMNS } from '../../stores/tokens.ts';

/** Selects tokens. A condition that is `undefined` excludes no token. */
interface TokenQuery extends ListRequest {
  readonly userId: UserId | undefined;
  readonly lastFour: string | undefined;
  readonly now: Timestamp;
  readonly isLongLived: boolean;
}

const OWN_TOKEN = {
  id: 'id',
  name: text('name'),
  last_four: text('last_four'),
  scope: text('scope'),
  audience: "coalesce(audience, 'null')",
  date_created: text('date_created'),
  expiration_date: text('substr(expires_at, 1, length(expires_at) - 1)'),
  last_used: text('last_used'),
};

/** The members of a token in a list of all users' tokens. */
const ANY_TOKEN = { ...OWN_TOKEN, username: text('(SELECT username FROM users WHERE users.id = user_id)') };

export function createTokenReader(database: Database) {
  return {
    find: (id: TokenId, now: Timestamp) => readOne(database, sql`
      SELECT ${raw(TOKEN_COLUMNS)} FROM tokens WHERE id = ${id} AND expires_at > ${now}`, toToken),

    async list({ userId, lastFour, now, isLongLived, ...request }: TokenQuery): Promise<JsonPage> {
      return listJson(database, {
        ...request,
        table: 'tokens',
        key: 'expiry_key',
        conditions: [
          sql`expires_at > ${now}`,
          isLongLived && raw('julianday(expires_at) - julianday(date_created) > 1'),
        ],
        indexed: [
          lastFour !== undefined && sql`last_four = ${lastFour}`,
          userId !== undefined && sql`user_id = ${userId}`,
        ],
        item: toObject(userId === undefined ? ANY_TOKEN : OWN_TOKEN),
      });
    },
  };
}
