/** `/api/v1/users/{username_or_id}/password_link`: a forgotten password, or an invitation, without email. */
import { LOST_RIGHTS, refuseFailed } from '../../api/changes.ts';
import { operation } from '../../api/operation.ts';
import { isRefusal } from '../../api/problems.ts';
import { created } from '../../api/replies.ts';
import { createToken, toLastFour, toTokenDigest } from '../../auth/token.ts';
import type { Database } from '../../database/database.ts';
import type { Origin } from '../../model/audit.ts';
import { toTimestamp, type Clock } from '../../model/clock.ts';
import type { User } from '../../model/user.ts';
import { findChangeable, userInPath } from '../../resources/accounts.ts';
import { withoutZone } from '../../resources/tokens.ts';
import { createPasswordLinkStore, type PasswordLinkStore } from './store.ts';

const LIFETIME_MS = 86_400_000;

interface LinkParts {
  readonly links: PasswordLinkStore;
  /** A prefix such as `/rollcall`; empty without a prefix. */
  readonly basePath: string;
  readonly clock: Clock;
}

/** Makes a link. Its secret stands after `#`, where it reaches no server and no log. */
export async function makePasswordLink({ links, basePath, clock }: LinkParts, user: User, origin: Origin) {
  const secret = createToken();
  const expiresAt = toTimestamp(clock() + LIFETIME_MS);
  const link = { digest: toTokenDigest(secret), lastFour: toLastFour(secret), expiresAt };
  const outcome = await links.insert(user, link, origin);
  const names = `${user.id}/${encodeURIComponent(user.username)}`; // the id outlives a new username
  return outcome.kind === 'refused' ? outcome : {
    kind: 'made' as const,
    link: `${basePath}/static/console/#/password/${names}/${secret}`,
    expiresAt,
  };
}

export function passwordLinkOperations(database: Database) {
  const links = createPasswordLinkStore(database);
  return {
    createPasswordLink: operation({
      method: 'POST',
      path: '/api/v1/users/{username_or_id}/password_link',
      parameters: userInPath,
      access: 'administrator',
      replies: created,
      refuses: ['noSuchUser', 'ownAccountOnly', 'passwordNeeded', ...LOST_RIGHTS],
      async handle(services, { path, caller, origin }) {
        const user = await findChangeable(services, path.username_or_id, caller);
        if (isRefusal(user)) {
          return user;
        }
        const made = await makePasswordLink({ ...services, links }, user, origin);
        if (made.kind === 'refused') {
          return refuseFailed(made);
        }
        const shown = { link: made.link, expiration_date: withoutZone(made.expiresAt) };
        return { json: JSON.stringify(shown), location: `/api/v1/users/${user.id}` };
      },
    }),
  };
}
