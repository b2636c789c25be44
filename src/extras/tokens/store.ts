/** Reads the records of valid tokens; `stores/tokens.ts` changes them. */
import type { Database } from '../../database/database.ts';
import type { Timestamp } from '../../model/clock.ts';
import type { JsonPage, PageRequest } from '../../model/page.ts';
import type { Token, TokenId } from '../../model/token.ts';
import type { UserId } from '../../model/user.ts';
import { listJson } from '../../stores/list.ts';
import { toOpenObject, type Members } from '../../stores/representations.ts';
import { IS_VALID, toToken, TOKEN_COLUMNS } from '../../stores/tokens.ts';

/** Selects the valid tokens of a list. A part that is `undefined` excludes no token. */
interface TokenQuery {
  readonly userId: UserId | undefined;
  readonly lastFour: string | undefined;
  readonly now: Timestamp;
  readonly page: PageRequest;
}

/** The record of a token in lists. A query that shows `username` joins its owner by a subquery. */
const TOKEN = {
  id: { column: 'id', kind: 'integer' },
  name: { column: 'name', kind: 'text' },
  last_four: { column: 'last_four', kind: 'text' },
  scope: { column: 'scope', kind: 'text' },
  date_created: { column: 'date_created', kind: 'text' },
  expiration_date: { column: 'substr(expires_at, 1, length(expires_at) - 1)', kind: 'text' },
  last_used: { column: 'last_used', kind: 'text' },
  username: { column: '(SELECT username FROM users WHERE users.id = user_id)', kind: 'text' },
} as const satisfies Members;

/** SQL for a token of the caller, and for a token in a list of all users. */
const OWN_TOKEN = `${toOpenObject(TOKEN, [
  'id', 'name', 'last_four', 'scope', 'date_created', 'expiration_date', 'last_used',
])} || '}'`;
const ANY_TOKEN = `${toOpenObject(TOKEN)} || '}'`;

export function createTokenReader(database: Database) {
  return {
    async find(id: TokenId, now: Timestamp): Promise<Token | undefined> {
      const [row] = await database.read({
        sql: `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id = ? AND ${IS_VALID}`,
        parameters: [id, now],
      });
      return row && toToken(row);
    },

    /** Lists valid tokens by id, of one user or of all; those of all with the names of their owners. */
    async list({ userId, lastFour, now, page }: TokenQuery): Promise<JsonPage> {
      const isLive = { sql: IS_VALID, parameters: [now] };
      const narrower = [
        ...(lastFour === undefined ? [] : [{ sql: 'last_four = ?', parameters: [lastFour] }]),
        ...(userId === undefined ? [] : [{ sql: 'user_id = ?', parameters: [userId] }]),
      ];
      return listJson(database, {
        table: 'tokens',
        item: userId === undefined ? ANY_TOKEN : OWN_TOKEN,
        itemBytesMax: 2_000,
        order: { column: 'id', isDescending: false },
        page,
        conditions: [isLive, ...narrower],
        candidates: narrower.map(({ sql, parameters }) => ({
          sql: `SELECT id FROM tokens WHERE ${sql} AND revoked_at IS NULL`, parameters,
        })),
        source: {
          select: {
            sql: `
              SELECT id, expires_at, NULL AS revoked_at FROM tokens INDEXED BY live_tokens_by_id
              WHERE revoked_at IS NULL`,
            parameters: [],
          },
          position: 'id',
        },
      });
    },
  };
}
