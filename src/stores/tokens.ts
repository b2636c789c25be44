/** The statements about tokens. A revocation deletes the row of the token, and adds an audit event. */
import { raw, readOne, readRow, sql, type Database, type Row, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toTimestamp, type Timestamp } from '../model/clock.ts';
import type { IdOrName } from '../model/name.ts';
import { createToken, limitWithToken, type Token, type TokenDigest, type TokenId } from '../model/token.ts';
import type { UserId } from '../model/user.ts';
import { toAuditStatement } from './audit.ts';
import {
  ALLOWED, changeIf, guard, ifAllowed, isSignedIn, mayChange, recordAt, type Target,
} from './guards.ts';
import { toUser, USER_COLUMNS } from './users.ts';

type NewToken = Pick<Token, 'userId' | 'name' | 'scope' | 'audience'> & { readonly lifetimeSeconds: number };

/** Columns of tokens and users have different names, because one row can contain a token and its owner. */
export const TOKEN_COLUMNS = `tokens.id AS tokenId, user_id AS userId, name, last_four AS lastFour, scope,
  audience, tokens.date_created AS tokenCreated, expires_at AS expiresAt, last_used AS lastUsed`;

/** The text is constant, because the driver finds statements by their text and must hash each new string. */
const FIND_LIVE = `
  SELECT ${USER_COLUMNS}, ${TOKEN_COLUMNS}
  FROM tokens JOIN users ON users.id = tokens.user_id
  WHERE digest = +? AND expires_at > +? AND disabled = 0`;

export function createTokenStore(database: Database, tokensPerUserMax: number) {
  return {
    /** A token expires no later than its parent token. The database does not store the `text` of a token. */
    insert({ userId, name, scope, audience, lifetimeSeconds }: NewToken, origin: Origin) {
      const { text, digest, lastFour } = createToken();
      const expiresAt = toTimestamp(Date.parse(origin.at) + lifetimeSeconds * 1_000);
      const countMax = origin.signIn === 'token' ? limitWithToken(tokensPerUserMax) : tokensPerUserMax;
      const target = recordAt('users', { id: userId });
      const isIssued = sql`digest = ${digest}`;
      return changeIf(database, origin, target, {
        guards: [
          isSignedIn(origin),
          // Users issue tokens only for themselves. Commands (no `origin.user`) issue tokens for any user.
          // Without the condition on the scope, a caller with a narrow token could get more rights.
          guard('unauthenticated', sql`users.disabled = 0 AND users.id = ${origin.user?.id ?? userId}
            AND (used_token.scope <> 'full' OR used_token.audience IS NOT NULL) IS NOT TRUE`),
          guard('tooManyTokens', sql`NOT EXISTS (
            SELECT 1 FROM tokens AS live WHERE live.user_id = users.id AND live.expires_at > ${origin.at}
            LIMIT 1 OFFSET ${countMax - 1})`),
        ],
        writes: [
          removeTwoExpired(target, origin),
          sql`INSERT INTO tokens
              (digest, user_id, name, last_four, scope, audience, date_created, expires_at, parent_id)
            SELECT ${digest}, users.id, ${name}, ${lastFour}, ${scope},
              ${audience === undefined ? null : JSON.stringify(audience)}, ${origin.at},
              min(${expiresAt}, coalesce(parent.expires_at, ${expiresAt})), parent.id
            FROM users LEFT JOIN tokens AS parent ON parent.id = ${origin.tokenId ?? null}
            WHERE ${ifAllowed(target)}`,
          toAuditStatement('token.create', { table: 'tokens', row: isIssued }, origin, `scope=${scope}`),
        ],
        readBack: sql`SELECT ${raw(TOKEN_COLUMNS)} FROM tokens WHERE ${isIssued}`,
        toResult: (row) => ({ ...toToken(row), text }),
      });
    },

    /**
     * Finds a token that has not expired and whose owner is not disabled. If the clock was decades ahead when
     * a token was issued, the token is not found. Otherwise, this token would be valid for decades.
     */
    findLive: (digest: TokenDigest, nowMs: number) =>
      readOne(database, { sql: FIND_LIVE, parameters: [digest, toTimestamp(nowMs)] }, (row) => {
        const token = toToken(row);
        // The service tolerates a difference of five minutes between the clocks of two machines.
        const isFromFuture = Date.parse(token.dateCreated) > nowMs + 300_000;
        return isFromFuture ? undefined : { user: toUser(row), token };
      }),

    /** Stores `at` as the time of the last use, unless the stored time is after `unlessSince`. */
    recordUse: (id: TokenId, { at, unlessSince }: Readonly<Record<'at' | 'unlessSince', Timestamp>>) =>
      database.write([sql`UPDATE tokens SET last_used = ${at}
        WHERE id = ${id} AND (last_used IS NULL OR last_used <= ${unlessSince})`]),

    /** Revokes a token and all tokens that have this token as parent, directly or indirectly. */
    revoke({ id }: { readonly id: TokenId }, origin: Origin) {
      const target: Target = { table: 'tokens', row: sql`tokens.id = ${id}` };
      return changeIf(database, origin, target, {
        guards: [
          isSignedIn(origin),
          guard('noSuchToken', sql`tokens.expires_at > ${origin.at}`),
          // A user who is not allowed to revoke a token gets the same reply as if the token did not exist.
          mayChange('noSuchToken', origin, raw('tokens.user_id')),
        ],
        writes: [
          toAuditStatement('token.revoke', target, origin),
          revokeWhere(sql`id IN (WITH RECURSIVE family (id) AS (
            SELECT ${id} UNION SELECT tokens.id FROM family JOIN tokens ON tokens.parent_id = family.id
          ) SELECT id FROM family)`),
        ],
      });
    },

    revokeAllOf(ref: IdOrName<UserId>, origin: Origin) {
      const target = recordAt('users', ref);
      return changeIf(database, origin, target, {
        guards: [
          isSignedIn(origin),
          mayChange('ownTokensOnly', origin, raw('users.id')),
          guard('noSuchUser', raw('users.id IS NOT NULL')),
          guard('noSuchToken', sql`EXISTS (
            SELECT 1 FROM tokens
            WHERE (user_id = users.id OR maker_id = users.id) AND expires_at > ${origin.at})`),
        ],
        writes: [toAuditStatement('token.revoke_all', target, origin), revokeTokens(target)],
      });
    },

    /** Usually no token has expired, so this method reads first, and writes only if expired tokens exist. */
    async removeExpired(before: Timestamp, countMax: number): Promise<number> {
      const expired = sql`
        SELECT id FROM tokens WHERE expiry_key < ${before} ORDER BY expiry_key LIMIT ${countMax}`;
      const { length } = await database.read(expired);
      if (length > 0) {
        await database.write([sql`DELETE FROM tokens WHERE id IN (${expired})`]);
      }
      return length;
    },
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;

/**
 * Revokes all password links that the user made, and all tokens of the user except the token `sparedId`.
 * Tokens whose parent is the token `sparedId` are revoked, too: a thief may have issued these tokens.
 */
export function revokeTokens({ row }: Target, sparedId?: TokenId): Statement {
  const id = sql`(SELECT id FROM users WHERE ${row})`;
  return revokeWhere(sql`(user_id = ${id} OR maker_id = ${id}) AND id IS NOT ${sparedId ?? null}`);
}

export const endLinks = (condition: Statement): Statement =>
  revokeWhere(sql`${condition} AND scope = 'set_password'`);

/** For each new token, removes up to two expired tokens of the owner, so that tokens cannot fill the disk. */
export const removeTwoExpired = ({ row }: Target, { at }: Origin): Statement => revokeWhere(sql`id IN (
  SELECT id FROM tokens WHERE user_id = (SELECT id FROM users WHERE ${row}) AND expires_at <= ${at}
  ORDER BY expires_at, id LIMIT 2)`);

const revokeWhere = (condition: Statement): Statement =>
  sql`DELETE FROM tokens WHERE ${condition} AND ${ALLOWED}`;

export function toToken(row: Row) {
  const { tokenId: id, tokenCreated: dateCreated, audience: json, ...token } = readRow(row, {
    tokenId: 'integer', userId: 'integer', name: 'text', lastFour: 'text', scope: 'text',
    audience: 'text or null', tokenCreated: 'text', expiresAt: 'text', lastUsed: 'text or null',
  });
  const audience = json === undefined ? undefined : JSON.parse(json) as string[]; // `insert` wrote JSON
  return { ...token, id, dateCreated, audience } satisfies Record<keyof Token, unknown> as Token;
}
