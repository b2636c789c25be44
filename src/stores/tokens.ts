/**
 * The statements about tokens. Revoked and expired tokens keep their rows until `removeEnded` deletes these
 * rows, but look-ups return only valid tokens.
 */
import {
  integerOf, textOf, textOrNone, type Database, type Row, type Statement,
} from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toTimestamp, type Timestamp } from '../model/clock.ts';
import {
  limitWithToken, type Token, type TokenDigest, type TokenId, type TokenScope,
} from '../model/token.ts';
import type { User, UserId } from '../model/user.ts';
import { changeIf, guard, isSignedIn, mayChange } from './guarded.ts';
import { toUser, USER_COLUMNS } from './users.ts';

interface NewToken {
  readonly digest: TokenDigest;
  readonly lastFour: string;
  readonly owner: Pick<User, 'id'>;
  readonly name: string;
  readonly scope: TokenScope;
  readonly audience?: Token['audience'];
  readonly dateCreated: Timestamp;
  readonly expiresAt: Timestamp;
}

/** The columns have distinct names, so that one row can also hold the columns of the owner. */
export const TOKEN_COLUMNS =
  'tokens.id AS token_id, user_id, name, last_four, scope, audience, tokens.date_created AS ' +
    'token_date_created, expires_at, last_used';
/** The latest instant at which any token can expire. */
const LAST_EXPIRY = toTimestamp(Date.parse('9999-12-31T23:59:59.999Z'));
export const IS_VALID = 'revoked_at IS NULL AND expires_at > ?';
/** The parameters are the current time, and one less than the limit of valid tokens per user. */
const HAS_ROOM = `NOT EXISTS (
  SELECT 1 FROM tokens AS live
  WHERE live.user_id = users.id AND live.revoked_at IS NULL AND live.expires_at > ? LIMIT 1 OFFSET ?)`;

/** A token of the user, or a password link that the user made. */
const HAS_TOKEN = `EXISTS (
  SELECT 1 FROM tokens WHERE (user_id = users.id OR maker_id = users.id)
  AND revoked_at IS NULL AND expires_at > ?)`;

/** A constant: a text built for each request would be hashed each time to find its prepared statement. */
const FIND_WITH_OWNER = `
  SELECT ${USER_COLUMNS}, ${TOKEN_COLUMNS}
  FROM tokens JOIN users ON users.id = tokens.user_id
  WHERE digest = ? AND ${IS_VALID} AND disabled = 0`;

/** The parent is the token of the sign-in. Without one, the column is NULL. */
const INSERT = `
  INSERT INTO tokens (digest, user_id, name, last_four, scope, audience, date_created, expires_at, parent_id)
  SELECT ?, users.id, ?, ?, ?, ?, ?, min(?, coalesce(parent.expires_at, '${LAST_EXPIRY}')), parent.id
  FROM users LEFT JOIN tokens AS parent ON parent.id = ?`;

/** A token of a narrow scope, or for certain programs, issues no tokens: they could do more than it can. */
const IS_FULL = `NOT EXISTS (
  SELECT 1 FROM tokens AS parent
  WHERE parent.id = ? AND (parent.scope <> 'full' OR parent.audience IS NOT NULL))`;

/** Revokes valid tokens with all their descendants. `UNION` terminates even if a row were its own parent. */
const toFamilyRevocation = (condition: string) => `
  UPDATE tokens SET revoked_at = ?
  WHERE ${IS_VALID} AND id IN (
    WITH RECURSIVE family (id) AS (
      SELECT id FROM tokens WHERE ${condition}
      UNION SELECT tokens.id FROM family JOIN tokens ON tokens.parent_id = family.id
    )
    SELECT id FROM family
  )`;

/** The most expired, and the most revoked, tokens of a user that are kept: those that ended last. */
const ENDED_KEPT_MAX = 100;

/**
 * Deletes some of a user's other ended tokens: more than a new token adds, so that a user who issues tokens
 * in a loop does not fill the disk. The parameters are the user and the current time, then the user.
 */
export const REMOVE_ENDED_OF_USER = `
  DELETE FROM tokens WHERE id IN (
    SELECT id FROM (
      SELECT id FROM tokens WHERE user_id = ? AND revoked_at IS NULL AND expires_at <= ?
      ORDER BY expires_at DESC LIMIT 2 OFFSET ${ENDED_KEPT_MAX}
    ) UNION ALL SELECT id FROM (
      SELECT id FROM tokens WHERE user_id = ? AND revoked_at IS NOT NULL
      ORDER BY revoked_at DESC LIMIT 2 OFFSET ${ENDED_KEPT_MAX}
    )
  )`;

export function createTokenStore(
  database: Database,
  { tokensPerUserMax }: { readonly tokensPerUserMax: number },
) {
  return {
    /**
     * Issues a token if the owner is not disabled and the sign-in is still valid. Otherwise a token requested
     * with an old password could outlive the change of the password. A token issued with another token
     * expires no later than that other token.
     */
    insert(token: NewToken, origin: Origin) {
      const { digest, owner, name, lastFour, scope, audience, dateCreated, expiresAt } = token;
      const parentId = origin.tokenId ?? null;
      const countMax = origin.signIn === 'token' ? limitWithToken(tokensPerUserMax) : tokensPerUserMax;
      return changeIf(database, {
        target: { table: 'users', column: 'id', value: owner.id },
        guards: [
          ...isSignedIn(origin),
          guard('unauthenticated', 'users.disabled = 0 AND users.id = ?', [origin.user?.id ?? owner.id]),
          guard('unauthenticated', IS_FULL, [parentId]),
          guard('tooManyTokens', HAS_ROOM, [origin.at, countMax - 1]),
        ],
        write: ({ sql, parameters }) => ({
          sql: `${INSERT} WHERE ${sql}`,
          parameters: [
            digest, name, lastFour, scope, audience === undefined ? null : JSON.stringify(audience),
            dateCreated, expiresAt, parentId, ...parameters,
          ],
        }),
        audit: { action: 'token.create', resource: { type: 'token', name }, details: `scope=${scope}` },
        then: [{ sql: REMOVE_ENDED_OF_USER, parameters: [owner.id, origin.at, owner.id] }],
        readBack: { sql: `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE digest = ?`, parameters: [digest] },
        toResult: toToken,
      }, origin);
    },

    /** @returns A token that is valid at `now`, and its owner, if the owner is not disabled. */
    async findWithOwner(
      digest: TokenDigest,
      now: Timestamp,
    ): Promise<{ readonly token: Token; readonly user: User } | undefined> {
      const [row] = await database.read({ sql: FIND_WITH_OWNER, parameters: [digest, now] });
      return row && { user: toUser(row), token: toToken(row) };
    },

    /** Records a use, unless a use after `unlessSince` is recorded already. */
    async recordUse(
      id: TokenId,
      { at, unlessSince }: { readonly at: Timestamp; readonly unlessSince: Timestamp },
    ): Promise<void> {
      await database.write([
        {
          sql: 'UPDATE tokens SET last_used = ? WHERE id = ? AND (last_used IS NULL OR last_used <= ?)',
          parameters: [at, id, unlessSince],
        },
      ]);
    },

    /** Revokes a token and its descendants. */
    revoke({ id, name }: Token, origin: Origin) {
      return changeIf(database, {
        target: { table: 'tokens', column: 'id', value: id },
        guards: [
          ...isSignedIn(origin),
          guard('noSuchToken', `tokens.${IS_VALID}`, [origin.at]),
          ...mayChange('administratorOnly', origin, 'tokens.user_id'),
        ],
        write: ({ sql, parameters }) => ({
          sql: toFamilyRevocation(sql), parameters: [origin.at, origin.at, ...parameters],
        }),
        audit: { action: 'token.revoke', resource: { type: 'token', id, name } },
        toResult: () => undefined,
      }, origin);
    },

    /** Revokes every valid token of a user, if any; otherwise `noSuchToken`. */
    revokeAllOf({ id, username }: Pick<User, 'id' | 'username'>, origin: Origin) {
      const revocation = toRevocation(id, origin.at);
      return changeIf(database, {
        target: { table: 'users', column: 'id', value: id },
        guards: [
          ...isSignedIn(origin),
          ...mayChange('administratorOnly', origin, 'users.id'),
          guard('noSuchToken', HAS_TOKEN, [origin.at]),
        ],
        write: ({ sql, parameters }) => ({
          sql: `${revocation.sql} AND EXISTS (SELECT 1 FROM users WHERE ${sql})`,
          parameters: [...revocation.parameters, ...parameters],
        }),
        audit: { action: 'token.revoke_all', resource: { type: 'user', id, name: username } },
        toResult: () => undefined,
      }, origin);
    },

    /**
     * Removes rows of tokens that expired or were revoked before a moment. Such a token stays invalid, so
     * reading the ids first is safe. Mostly the read finds no rows, and nothing is written.
     *
     * @returns The number of removed rows, at most `countMax`.
     */
    async removeEnded(before: Timestamp, countMax: number): Promise<number> {
      const rows = await database.read({
        sql: 'SELECT id FROM tokens WHERE expires_at < ? OR revoked_at < ? LIMIT ?',
        parameters: [before, before, countMax],
      });
      if (rows.length > 0) {
        const ids = JSON.stringify(rows.map((row) => integerOf(row, 'id')));
        await database.write([{
          sql: 'DELETE FROM tokens WHERE id IN (SELECT value FROM json_each(?))', parameters: [ids],
        }]);
      }
      return rows.length;
    },
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;

/**
 * @returns The statement that revokes every valid token of a user, except the spared token, and every
 *   password link that the user made. Tokens issued with the spared token are revoked too, since somebody
 *   else may hold them.
 */
export function toRevocation(userId: UserId, at: Timestamp, sparedId?: TokenId): Statement {
  return {
    sql: `
      UPDATE tokens SET revoked_at = ?
      WHERE (user_id = ? OR maker_id = ?) AND ${IS_VALID} AND id IS NOT ?`,
    parameters: [at, userId, userId, at, sparedId ?? null],
  };
}

/** @returns The statement that ends the password links of a user who is an administrator. */
export function endLinksOfAdministrator(userId: UserId, at: Timestamp): Statement {
  const { sql, parameters } = endLinks(userId, at);
  return {
    sql: `${sql} AND EXISTS (SELECT 1 FROM users WHERE id = user_id AND is_admin = 1)`, parameters,
  };
}

/**
 * @returns The statement that ends the password links which a user made, unless the user is an enabled
 *   administrator. A link is a right of its maker that is used later, so it ends with this right.
 */
export function endLinksOfFormerAdministrator(makerId: UserId, at: Timestamp): Statement {
  return {
    sql: `
      UPDATE tokens SET revoked_at = ? WHERE maker_id = ? AND ${IS_VALID}
      AND NOT EXISTS (SELECT 1 FROM users WHERE id = maker_id AND (is_admin, disabled) = (1, 0))`,
    parameters: [at, makerId, at],
  };
}

/** @returns The statement that ends the password links of a user: tokens that may only set the password. */
export function endLinks(userId: UserId, at: Timestamp): Statement {
  return {
    sql: `UPDATE tokens SET revoked_at = ? WHERE user_id = ? AND scope = 'set_password' AND ${IS_VALID}`,
    parameters: [at, userId, at],
  };
}

/** @param row - The columns of `TOKEN_COLUMNS`. */
export function toToken(row: Row): Token {
  const audience = textOrNone(row, 'audience');
  return {
    id: integerOf(row, 'token_id') as TokenId,
    userId: integerOf(row, 'user_id') as UserId,
    name: textOf(row, 'name'),
    lastFour: textOf(row, 'last_four'),
    scope: textOf(row, 'scope') as TokenScope,
    audience: audience === undefined ? undefined : JSON.parse(audience) as string[], // as `insert` wrote it
    dateCreated: textOf(row, 'token_date_created') as Timestamp,
    expiresAt: textOf(row, 'expires_at') as Timestamp,
    lastUsed: textOrNone(row, 'last_used') as Timestamp | undefined,
  };
}
