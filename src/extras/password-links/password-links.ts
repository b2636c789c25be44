/** `/api/v1/users/{username_or_id}/password_link`: links for forgotten passwords and invitations. */
import { operation } from '../../api/operation.ts';
import { refuse } from '../../api/problems.ts';
import { created } from '../../api/replies.ts';
import type { Database } from '../../database/database.ts';
import type { Origin } from '../../model/audit.ts';
import { toTimestamp } from '../../model/clock.ts';
import { idOrName, type IdOrName } from '../../model/name.ts';
import { createToken } from '../../model/token.ts';
import type { UserId } from '../../model/user.ts';
import { withoutZone } from '../../resources/tokens.ts';
import { createPasswordLinkStore, type PasswordLinkStore } from './store.ts';

const LIFETIME_MS = 86_400_000;

/** Makes a link with a secret after `#`. Browsers never send this secret, so no log contains it. */
export async function makePasswordLink(
  links: PasswordLinkStore, basePath: string, user: IdOrName<UserId>, origin: Origin,
) {
  const { text: secret, ...stored } = createToken();
  const expiresAt = toTimestamp(Date.parse(origin.at) + LIFETIME_MS);
  const outcome = await links.insert(user, { ...stored, expiresAt }, origin);
  if (outcome.kind === 'refused') {
    return outcome;
  }
  const { id, username } = outcome.result;
  const names = `${id}/${encodeURIComponent(username)}`; // the id stays valid if the user is renamed
  return {
    kind: 'made' as const,
    id,
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
      access: 'administrator',
      replies: created('/api/v1/users'),
      refuses: ['noSuchUser', 'passwordNeeded', 'unauthenticated', 'administratorOnly'],
      async handle({ basePath }, { path, origin }) {
        const made = await makePasswordLink(links, basePath, idOrName(path.username_or_id), origin());
        if (made.kind === 'refused') {
          return refuse(made.reason);
        }
        const { id, link, expiresAt } = made;
        return { json: JSON.stringify({ link, expiration_date: withoutZone(expiresAt) }), id };
      },
    }),
  };
}
