/**
 * `/api/v1/users/{username_or_id}/password_link`: one-time links for invitations and for forgotten passwords.
 *
 * A link is a token that can only set the password of its user (scope `set_password`). A new password revokes
 * all tokens of the user, including the link, so a link works only once. A new link for a user revokes the
 * user's older link. A link also stops working if the administrator who created the link is demoted, disabled
 * or deleted. The link also stops working if this administrator gets a new password, or if all tokens of this
 * administrator are revoked.
 */
import { operation } from '../../api/operation.ts';
import { isRefusal, resultOf } from '../../api/problems.ts';
import { created } from '../../api/replies.ts';
import { raw, readRow, sql, type Database } from '../../database/database.ts';
import type { Origin } from '../../model/audit.ts';
import { toTimestamp } from '../../model/clock.ts';
import { idOrName, type IdOrName } from '../../model/name.ts';
import { createToken } from '../../model/token.ts';
import type { UserId } from '../../model/user.ts';
import { withoutZone } from '../../resources/tokens.ts';
import { toAuditStatement } from '../../stores/audit.ts';
import { changeIf, guard, ifAllowed, isAdministrator, recordAt } from '../../stores/guards.ts';
import { endLinks, removeTwoExpired } from '../../stores/tokens.ts';

const LIFETIME_MS = 86_400_000;

/**
 * The secret stands after `#`. Browsers never send this part of a URL, so no log contains the secret. To make
 * a link for an administrator, the caller must sign in with a password. Otherwise, the thief of one token
 * could take over the accounts of all administrators.
 */
export function makePasswordLink(
  database: Database, prefix: string, user: IdOrName<UserId>, origin: Origin,
) {
  const { text: secret, digest, lastFour } = createToken();
  const expiresAt = toTimestamp(Date.parse(origin.at) + LIFETIME_MS);
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
    toResult(row) {
      const { id, username } = readRow(row, { id: 'integer', username: 'text' });
      const names = `${id}/${encodeURIComponent(username)}`; // the id stays valid if the user is renamed
      return { id, expiresAt, link: `${prefix}/static/console/#/password/${names}/${secret}` };
    },
  });
}

export const passwordLinkOperations = (database: Database) => ({
  createPasswordLink: operation({
    method: 'POST',
    path: '/api/v1/users/{username_or_id}/password_link',
    access: 'administrator',
    replies: created('/api/v1/users'),
    refuses: ['noSuchUser', 'passwordNeeded', 'unauthenticated', 'administratorOnly'],
    async handle({ basePath }, { path, origin }) {
      const made = resultOf(
        await makePasswordLink(database, basePath, idOrName(path.username_or_id), origin()),
      );
      if (isRefusal(made)) {
        return made;
      }
      const { id, link, expiresAt } = made;
      return { json: JSON.stringify({ link, expiration_date: withoutZone(expiresAt) }), id };
    },
  }),
});
