/**
 * Changes of users. Each is decided on the record as it was read: it takes effect only while the record still has that
 * version, and otherwise the outcome is `overtaken`, upon which the caller decides anew. What depends on other records
 * is a condition of the statement, so that no two changes at once can leave the service without an administrator.
 */
import type { Database, Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toNameKey } from '../model/name.ts';
import type { TokenId } from '../model/token.ts';
import type { PasswordHash, User, UserId } from '../model/user.ts';
import { toAuditStatement, toProjectsAuditStatement } from './audit.ts';
import { toRevocation } from './tokens.ts';
import { toNameColumns } from './users.ts';

/** What of a user can be changed, but for the password. */
export type UserValues = Pick<User, 'username' | 'email' | 'isAdmin' | 'isDisabled'>;

/** What becomes of the projects of a user who is deleted. */
export type OwnedProjects =
  | { readonly kind: 'refuse' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'transfer'; readonly newOwnerId: UserId };

/** Overtaken: the record was changed in the meantime, or something that the change depends on was. */
type ChangeOutcome = 'changed' | 'overtaken';

const OTHER_ADMINISTRATOR = `
  EXISTS (SELECT 1 FROM users AS other WHERE other.is_admin = 1 AND other.disabled = 0 AND other.id <> users.id)`;

/** The user is as they were read, and may go without taking the last administrator along. */
const MAY_GO = `users.id = ? AND users.version = ? AND (? = 0 OR ${OTHER_ADMINISTRATOR})`;

export function createUserChanges(database: Database) {
  return {
    /** Overtaken also when the new username is somebody else's, or nobody else would be an active administrator. */
    async update(user: User, to: UserValues, origin: Origin): Promise<ChangeOutcome> {
      const key = toNameKey(to.username);
      const needsOther = isActiveAdministrator(user) && !isActiveAdministrator(to);
      return change([
        {
          sql: `
            UPDATE users SET username = ?, username_key = ?, username_grams = ?, email = ?, is_admin = ?, disabled = ?, version = version + 1
            WHERE ${MAY_GO} AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.username_key = ? AND other.id <> users.id)
            RETURNING id`,
          parameters: [
            ...toNameColumns(to.username), to.email, to.isAdmin ? 1 : 0, to.isDisabled ? 1 : 0,
            user.id, user.version, needsOther ? 1 : 0, key,
          ],
        },
        toAuditStatement({ action: 'user.update', resource: toResource(user), details: describeChanges(user, to) }, origin),
      ]);
    },

    /** Sets a new password, and revokes every token of the user, but for one that is spared. */
    async setPassword(
      user: User,
      { passwordHash, sparedTokenId }: { readonly passwordHash: PasswordHash; readonly sparedTokenId?: TokenId | undefined },
      origin: Origin,
    ): Promise<ChangeOutcome> {
      const revocation = toRevocation(user.id, origin.at, sparedTokenId);
      return change([
        {
          sql: `
            UPDATE users SET password_hash = ?, password_version = password_version + 1, version = version + 1
            WHERE id = ? AND version = ? RETURNING id`,
          parameters: [passwordHash, user.id, user.version],
        },
        toAuditStatement({ action: 'user.password', resource: toResource(user) }, origin),
        {
          sql: `${revocation.sql} AND EXISTS (SELECT 1 FROM users WHERE id = ? AND password_hash = ?)`, // if it was set
          parameters: [...revocation.parameters, user.id, passwordHash],
        },
      ]);
    },

    /** Deletes a user with all of their tokens. Overtaken also when they own projects that they should not by then. */
    async delete(user: User, ownedProjects: OwnedProjects, origin: Origin): Promise<ChangeOutcome> {
      const guard = [user.id, user.version, isActiveAdministrator(user) ? 1 : 0];
      return change(
        [
          ...toProjectStatements(user, ownedProjects, { guard, origin }),
          {
            sql: `
              DELETE FROM users
              WHERE ${MAY_GO} AND NOT EXISTS (SELECT 1 FROM projects WHERE owner_id = users.id)
              RETURNING id`,
            parameters: guard,
          },
          toAuditStatement(
            { action: 'user.delete', resource: toResource(user), details: `owned_projects=${ownedProjects.kind}` },
            origin,
          ),
        ],
      );
    },
  };

  /** @param statements - One of them decides, and it alone has a `RETURNING` clause. */
  async function change(statements: readonly Statement[]): Promise<ChangeOutcome> {
    const results = await database.write(statements);
    return results.some((rows) => rows.length > 0) ? 'changed' : 'overtaken';
  }
}

export type UserChanges = ReturnType<typeof createUserChanges>;

export function isActiveAdministrator({ isAdmin, isDisabled }: UserValues): boolean {
  return isAdmin && !isDisabled;
}

/** They run before the user is deleted, and under the same condition. */
function toProjectStatements(
  { id }: User,
  owned: OwnedProjects,
  { guard, origin }: { readonly guard: readonly number[]; readonly origin: Origin },
): readonly Statement[] {
  const condition = {
    sql: `owner_id = ? AND EXISTS (SELECT 1 FROM users WHERE ${MAY_GO})`,
    parameters: [id, ...guard],
  };
  switch (owned.kind) {
    case 'refuse':
      return [];
    case 'delete':
      return [
        toProjectsAuditStatement({ action: 'project.delete', details: '', condition }, origin),
        { sql: `DELETE FROM projects WHERE ${condition.sql}`, parameters: condition.parameters },
      ];
    case 'transfer': {
      const heirExists = {
        sql: `${condition.sql} AND EXISTS (SELECT 1 FROM users WHERE id = ?)`,
        parameters: [...condition.parameters, owned.newOwnerId],
      };
      const details = `owner_id=${owned.newOwnerId}`;
      return [
        toProjectsAuditStatement({ action: 'project.update', details, condition: heirExists }, origin),
        {
          sql: `UPDATE projects SET owner_id = ?, version = version + 1 WHERE ${heirExists.sql}`,
          parameters: [owned.newOwnerId, ...heirExists.parameters],
        },
      ];
    }
  }
}

function toResource({ id, username }: User) {
  return { type: 'user', id, name: username } as const;
}

/** Addresses are left out: the trail outlives the account. */
function describeChanges(from: User, to: UserValues): string {
  return [
    ...(from.username === to.username ? [] : [`username=${to.username}`]),
    ...(from.email === to.email ? [] : ['email']),
    ...(from.isAdmin === to.isAdmin ? [] : [`is_admin=${to.isAdmin}`]),
    ...(from.isDisabled === to.isDisabled ? [] : [`disabled=${to.isDisabled}`]),
  ].join(', ');
}
