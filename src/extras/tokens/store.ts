/** Reads the records of valid tokens; `stores/tokens.ts` changes them. */
import type { Database, Statement } from '../../database/database.ts';
import type { Timestamp } from '../../model/clock.ts';
import type { JsonPage, PageRequest, SortOrder } from '../../model/page.ts';
import type { Token, TokenId } from '../../model/token.ts';
import type { UserId } from '../../model/user.ts';
import { listJson, type Source } from '../../stores/list.ts';
import { toObject, type Members } from '../../stores/representations.ts';
import { IS_VALID, toToken, TOKEN_COLUMNS } from '../../stores/tokens.ts';

/** Selects the valid tokens of a list. A part that is `undefined` excludes no token. */
interface TokenQuery {
  readonly userId: UserId | undefined;
  readonly lastFour: string | undefined;
  readonly now: Timestamp;
  readonly isLongLived: boolean;
  readonly page: PageRequest;
  readonly sort: SortOrder<'id' | 'expiration_date'>;
}

/** The record of a token of the caller in lists. */
const OWN_TOKEN = {
  id: { column: 'id', kind: 'integer' },
  name: { column: 'name', kind: 'text' },
  last_four: { column: 'last_four', kind: 'text' },
  scope: { column: 'scope', kind: 'text' },
  audience: { column: "coalesce(audience, 'null')", kind: 'json' },
  date_created: { column: 'date_created', kind: 'text' },
  expiration_date: { column: 'substr(expires_at, 1, length(expires_at) - 1)', kind: 'text' },
  last_used: { column: 'last_used', kind: 'text' },
} as const satisfies Members;

/** In a list of the tokens of all users. */
const ANY_TOKEN = {
  ...OWN_TOKEN,
  username: { column: '(SELECT username FROM users WHERE users.id = user_id)', kind: 'text' },
} as const satisfies Members;

/** The index by id has the columns of the usual conditions. */
const LIVE_BY_ID: Source = {
  select: select('id, expires_at, NULL AS revoked_at', 'live_tokens_by_id'), position: 'id',
};
const LIVE_JOINED: Source = { select: select('id', 'live_tokens_by_id'), position: 'id', join: 'tokens' };
const LIVE_BY_EXPIRY: Source = {
  select: select('id', 'live_tokens_by_expiry'), position: 'expiry_key', join: 'tokens',
};

function select(columns: string, index: string): Statement {
  return {
    sql: `SELECT ${columns} FROM tokens INDEXED BY ${index} WHERE revoked_at IS NULL`, parameters: [],
  };
}

const IS_LONG_LIVED = { sql: 'julianday(expires_at) - julianday(date_created) > 1', parameters: [] };

export function createTokenReader(database: Database) {
  return {
    async find(id: TokenId, now: Timestamp): Promise<Token | undefined> {
      const [row] = await database.read({
        sql: `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id = ? AND ${IS_VALID}`, parameters: [id, now],
      });
      return row && toToken(row);
    },

    /** Lists valid tokens of one user, or of all users with the names of the owners. */
    async list({ userId, lastFour, now, isLongLived, page, sort }: TokenQuery): Promise<JsonPage> {
      const narrower = [
        ...(lastFour === undefined ? [] : [{ sql: 'last_four = ?', parameters: [lastFour] }]),
        ...(userId === undefined ? [] : [{ sql: 'user_id = ?', parameters: [userId] }]),
      ];
      const column = sort.by === 'id' ? 'id' : 'expiry_key';
      return listJson(database, {
        table: 'tokens',
        item: toObject<string>(userId === undefined ? ANY_TOKEN : OWN_TOKEN),
        itemBytesMax: 3_500,
        order: { column, isDescending: sort.isDescending },
        page,
        conditions: [
          { sql: IS_VALID, parameters: [now] }, ...narrower, ...(isLongLived ? [IS_LONG_LIVED] : []),
        ],
        candidates: narrower.map(({ sql, parameters }) => ({
          sql: `SELECT id FROM tokens WHERE ${sql} AND revoked_at IS NULL`, parameters,
        })),
        source: sort.by !== 'id' ? LIVE_BY_EXPIRY : isLongLived ? LIVE_JOINED : LIVE_BY_ID,
      });
    },
  };
}
