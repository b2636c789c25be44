/**
 * One-time links for passwords. A link is a token of the scope `set_password`, which can only set the
 * password of its user. A new password revokes all tokens of the user, including the link, so a link works
 * only once. A new link for a user revokes the user's older link. A link also stops working when its maker is
 * demoted, disabled or deleted, or gets a new password. Revoking all tokens of the maker also ends the link.
 */
import { raw, readRow, sql, type Database } from '../../database/database.ts';
import type { Origin } from '../../model/audit.ts';
import type { Timestamp } from '../../model/clock.ts';
import type { IdOrName } from '../../model/name.ts';
import type { TokenDigest } from '../../model/token.ts';
import type { UserId } from '../../model/user.ts';
import { toAuditStatement } from '../../stores/audit.ts';
import { changeIf, guard, ifAllowed, isAdministrator, recordAt } from '../../stores/guards.ts';
import { endLinks, removeTwoExpired } from '../../stores/tokens.ts';

interface NewLink {
  readonly digest: TokenDigest;
  readonly lastFour: string;
  readonly expiresAt: Timestamp;
}

export function createPasswordLinkStore(database: Database) {
  return {
    /**
     * To make a link for an administrator, the caller must sign in with a password. If a token were enough,
     * the thief of one token could take over the accounts of all administrators.
     */
    insert(user: IdOrName<UserId>, { digest, lastFour, expiresAt }: NewLink, origin: Origin) {
      const target = recordAt('users', user);
      return changeIf(database, origin, target, {
        guards: [
          ...isAdministrator(origin),
          guard('noSuchUser', raw('users.id IS NOT NULL')),
          origin.signIn === 'token' && guard('passwordNeeded', raw('users.is_admin = 0')),
        ],
        writes: [
          endLinks(sql`user_id = (SELECT id FROM users WHERE ${target.row})`),
          sql`INSERT INTO tokens
              (digest, user_id, name, last_four, scope, date_created, expires_at, maker_id)
            SELECT ${digest}, users.id, 'password link', ${lastFour}, 'set_password',
              ${origin.at}, ${expiresAt}, ${origin.user?.id ?? null} FROM users WHERE ${ifAllowed(target)}`,
          toAuditStatement('user.password_link', target, origin),
          removeTwoExpired(target, origin),
        ],
        readBack: sql`SELECT id, username FROM users WHERE ${target.row}`,
        toResult: (row) => readRow(row, { id: 'integer', username: 'text' }),
      });
    },
  };
}

export type PasswordLinkStore = ReturnType<typeof createPasswordLinkStore>;
