/** Everything that the service asks the database about tokens. */
import type { Database } from '../database/database.ts';
import type { Timestamp } from '../model/clock.ts';
import type { TokenDigest } from '../model/token.ts';
import type { User, UserId } from '../model/user.ts';
import { toUser } from './users.ts';

interface NewToken {
  readonly digest: TokenDigest;
  readonly userId: UserId;
  readonly dateCreated: Timestamp;
  readonly expiresAt: Timestamp;
}

/** Issuing one token removes at most this many expired ones, so that the table cannot grow with tokens that are dead. */
const EXPIRED_TOKENS_REMOVED_MAX = 10;

export function createTokenStore(database: Database) {
  return {
    async insert({ digest, userId, dateCreated, expiresAt }: NewToken): Promise<void> {
      await database.write([
        {
          sql: 'INSERT INTO tokens (digest, user_id, date_created, expires_at) VALUES (?, ?, ?, ?)',
          parameters: [digest, userId, dateCreated, expiresAt],
        },
        {
          sql: `
            DELETE FROM tokens WHERE digest IN
              (SELECT digest FROM tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
          parameters: [dateCreated, EXPIRED_TOKENS_REMOVED_MAX],
        },
      ]);
    },

    /** @returns The user to whom the token belongs, when it has been issued, not revoked, and not expired at `now`. */
    async findOwner(digest: TokenDigest, now: Timestamp): Promise<User | undefined> {
      const [row] = await database.read({
        sql: `
          SELECT users.id, users.username, users.email, users.is_admin, users.date_created
          FROM tokens JOIN users ON users.id = tokens.user_id
          WHERE tokens.digest = ? AND tokens.expires_at > ?`,
        parameters: [digest, now],
      });
      return row && toUser(row);
    },

    async revoke(digest: TokenDigest): Promise<void> {
      await database.write([{ sql: 'DELETE FROM tokens WHERE digest = ?', parameters: [digest] }]);
    },

    async revokeAllOf(userId: UserId): Promise<void> {
      await database.write([{ sql: 'DELETE FROM tokens WHERE user_id = ?', parameters: [userId] }]);
    },
  };
}

export type TokenStore = ReturnType<typeof createTokenStore>;

