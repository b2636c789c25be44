/** `/api/v1/users/{username_or_id}/password_link`: a forgotten password, or an invitation, without email. */
import { created } from '../../api/answers.ts';
import { auditContext, LOST_RIGHTS, refuseFailed } from '../../api/changes.ts';
import { operation } from '../../api/operation.ts';
import { isRefusal } from '../../api/problems.ts';
import { createToken, toLastFour, toTokenDigest } from '../../auth/token.ts';
import type { Database } from '../../database/database.ts';
import { object, text } from '../../jsonschema/typed.ts';
import type { Origin } from '../../model/audit.ts';
import { toTimestamp, type Clock } from '../../model/clock.ts';
import type { User } from '../../model/user.ts';
import { findChangeable, userInPath } from '../../resources/accounts.ts';
import { expirationDate, withoutZone } from '../../resources/schemas.ts';
import { createPasswordLinkStore, type PasswordLinkStore } from './store.ts';

const LIFETIME_MS = 86_400_000;

const passwordLink = object({
  link: text({
    description: 'The path of the link, which is shown only now. Its reader can set the password.',
    example: '/static/console/#/password/2/ada/rollcall_YW4gZXhhbXBsZSBmb3IgZG9jdW1lbnRzLCAzMiBieS4TRNNYw',
  }),
  expiration_date: expirationDate,
});

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
      tag: 'Users',
      summary: 'Create a password link',
      description:
        'Makes a link that sets a new password of the user, once, within a day. An older link ends. For ' +
        'the account of an administrator, sign in with the password.',
      answers: created(passwordLink, 'The link.', '/api/v1/users/2'),
      refuses: ['noSuchUser', 'ownAccountOnly', 'passwordNeeded', ...LOST_RIGHTS],
      async handle(services, { path, caller, request }) {
        const user = await findChangeable(services, path.username_or_id, caller);
        if (isRefusal(user)) {
          return user;
        }
        const context = auditContext(services, request, caller);
        const made = await makePasswordLink({ ...services, links }, user, context);
        if (made.kind === 'refused') {
          return refuseFailed(made);
        }
        const shown = { link: made.link, expiration_date: withoutZone(made.expiresAt) };
        return { json: JSON.stringify(shown), location: `/api/v1/users/${user.id}` };
      },
    }),
  };
}
