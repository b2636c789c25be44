/**
 * One-time links for passwords. A link is a token of the scope `set_password`, which may set the password of
 * its user and nothing else. A new password revokes all tokens, so a link works once. It ends when its maker
 * is demoted, disabled or deleted, gets a new password, or revokes all tokens.
 */
import type { Database } from '../../database/database.ts';
import type { Origin } from '../../model/audit.ts';
import type { Timestamp } from '../../model/clock.ts';
import type { TokenDigest } from '../../model/token.ts';
import type { User } from '../../model/user.ts';
import { changeIf, guard, isAdministrator } from '../../stores/guarded.ts';
import { endLinks, REMOVE_ENDED_OF_USER } from '../../stores/tokens.ts';

interface NewLink {
  readonly digest: TokenDigest;
  readonly lastFour: string;
  readonly expiresAt: Timestamp;
}

export function createPasswordLinkStore(database: Database) {
  return {
    /**
     * Adds a link and ends the older one. A stolen token of an administrator must not take over another
     * administrator, so a link for one needs the caller's password.
     */
    insert({ id, username }: User, { digest, lastFour, expiresAt }: NewLink, origin: Origin) {
      const older = endLinks(id, origin.at);
      return changeIf(database, {
        target: { table: 'users', column: 'id', value: id },
        guards: [
          ...isAdministrator(origin),
          guard('noSuchUser', 'users.id IS NOT NULL'),
          ...(origin.signIn === 'token' ? [guard('passwordNeeded', 'users.is_admin = 0')] : []),
        ],
        write: ({ sql, parameters }) => ({
          sql: `
            INSERT INTO tokens (digest, user_id, name, last_four, scope, date_created, expires_at, maker_id)
            SELECT ?, users.id, 'password link', ?, 'set_password', ?, ?, ? FROM users WHERE ${sql}`,
          parameters: [digest, lastFour, origin.at, expiresAt, origin.user?.id ?? null, ...parameters],
        }),
        audit: { action: 'user.password_link', resource: { type: 'user', id, name: username } },
        then: [
          {
            sql: `${older.sql} AND digest <> ? AND EXISTS (SELECT 1 FROM tokens WHERE digest = ?)`,
            parameters: [...older.parameters, digest, digest],
          },
          { sql: REMOVE_ENDED_OF_USER, parameters: [id, origin.at, id] },
        ],
        toResult: () => undefined,
      }, origin);
    },
  };
}

export type PasswordLinkStore = ReturnType<typeof createPasswordLinkStore>;
