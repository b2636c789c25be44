/**
 * Changes of users, with optimistic concurrency: a change takes effect only while the record has the version
 * that was read. Otherwise the outcome is `conflict`, and the caller decides again. All other requirements of
 * a change are conditions of its statement. So no two concurrent changes can leave the service without an
 * administrator.
 */
import { setImmediate } from 'node:timers/promises';
import { integer, type Database, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toNameKey } from '../model/name.ts';
import type { TokenId } from '../model/token.ts';
import type { PasswordHash, User, UserId } from '../model/user.ts';
import { toAuditStatement, toCutName, toProjectsAuditStatement } from './audit.ts';
import { findLostRight, hasRight, type LostRight } from './rights.ts';
import { toRevocation } from './tokens.ts';
import { REPRESENT_BY_ID, toUserRepresentation, type UserRepresentation } from './users.ts';

/** The values of a user that can be changed, except the password. */
export type UserValues = Pick<User, 'username' | 'email' | 'isAdmin' | 'isDisabled'>;

interface NewPassword {
  readonly passwordHash: PasswordHash;
  /** A token that stays valid; all other tokens of the user are revoked. */
  readonly sparedTokenId?: TokenId | undefined;
}

/** How the deletion of a user treats the projects of the user. Only administrators may transfer them. */
export type OwnedProjects =
  | { readonly kind: 'refuse' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'transfer'; readonly newOwnerId: UserId };

/** The record, or other data that the change depends on, was changed in the meantime. */
type Conflict = { readonly kind: 'conflict' };

type UpdateOutcome =
  | { readonly kind: 'changed'; readonly representation: UserRepresentation }
  | Conflict
  | LostRight;
type PasswordOutcome = { readonly kind: 'changed' } | Conflict | LostRight;
type DeletionOutcome = { readonly kind: 'deleted' } | {
  readonly kind: 'too-many-projects',
} | Conflict | LostRight;

/**
 * The most projects (or tokens) in one batch: at most 2 MB, whose writing dominates the time of the batch.
 */
const SLICE_MAX = 100;

/** True if the user is not an active administrator, or not the only one. */
const IS_DISPENSABLE = `(users.is_admin = 0 OR users.disabled = 1 OR
  EXISTS (
    SELECT 1 FROM users AS other
    WHERE other.is_admin = 1 AND other.disabled = 0 AND other.id <> users.id
  ))`;

export function createUserChanges(
  database: Database,
  { projectsPerUserMax }: { readonly projectsPerUserMax: number },
) {
  return {
    /** Also `conflict` when another user has the new username, or no active administrator would be left. */
    async update(user: User, to: UserValues, origin: Origin): Promise<UpdateOutcome> {
      const key = toNameKey(to.username);
      const isAboutRights = to.isAdmin !== user.isAdmin || to.isDisabled !== user.isDisabled;
      const ownerId = isAboutRights ? undefined : user.id;
      const right = hasRight(origin, ownerId);
      const { row } = await database.change([
        {
          sql: `
            UPDATE users
            SET username = ?, username_key = ?, email = ?, is_admin = ?, disabled = ?,
              version = version + 1
            WHERE id = ? AND version = ? AND (? OR ${IS_DISPENSABLE}) AND ${right.sql}
              AND NOT EXISTS (
                SELECT 1 FROM users AS other WHERE other.username_key = ? AND other.id <> users.id
              )`,
          parameters: [
            to.username, key, to.email, Number(to.isAdmin), Number(to.isDisabled),
            user.id, user.version, Number(isActiveAdministrator(to)), ...right.parameters, key,
          ],
        },
        toAuditStatement(
          { action: 'user.update', resource: toResource(user), details: describeChanges(user, to) },
          origin,
        ),
      ], { sql: REPRESENT_BY_ID, parameters: ['', user.id] });
      return row === undefined
        ? explainRefusal(origin, ownerId)
        : { kind: 'changed', representation: toUserRepresentation(row) };
    },

    /** Sets a new password, and revokes every token of the user except a spared one. */
    async setPassword(user: User, password: NewPassword, origin: Origin): Promise<PasswordOutcome> {
      const { passwordHash, sparedTokenId } = password;
      const right = hasRight(origin, user.id);
      const revocation = toRevocation(user.id, origin.at, sparedTokenId);
      const { counts: [changed] } = await database.change([
        {
          sql: `
            UPDATE users SET password_hash = ?, password_version = password_version + 1, version = version + 1
            WHERE id = ? AND version = ? AND ${right.sql}`,
          parameters: [passwordHash, user.id, user.version, ...right.parameters],
        },
        toAuditStatement({ action: 'user.password', resource: toResource(user) }, origin),
        {
          // Revoke only if the new password was set.
          sql: `${revocation.sql} AND EXISTS (SELECT 1 FROM users WHERE id = ? AND password_hash = ?)`,
          parameters: [...revocation.parameters, user.id, passwordHash],
        },
      ]);
      return changed === 0 ? explainRefusal(origin, user.id) : { kind: 'changed' };
    },

    /**
     * Deletes a user with all of their tokens. The outcome is also `conflict` when the user owns projects and
     * `owned` is `refuse`.
     *
     * Many projects are deleted slice by slice, and the user with the last slice; other requests run between
     * two slices. If the process ends in between, the user still exists with the remaining projects, and the
     * same request completes the deletion. Projects that the user creates in the meantime are included.
     */
    async delete(user: User, owned: OwnedProjects, origin: Origin): Promise<DeletionOutcome> {
      const ownerId = owned.kind === 'transfer' ? undefined : user.id;
      for (let isFirst = true; ; isFirst = false) {
        const slice = await deleteSlice(user, owned, { origin, right: hasRight(origin, ownerId), isFirst });
        if (slice === 'last') {
          return { kind: 'deleted' };
        }
        if (slice === 'nothing') {
          return (await findExcess(user, owned)) ?? explainRefusal(origin, ownerId);
        }
        await setImmediate();
      }
    },
  };

  /** @returns `last` when the user was deleted, and `nothing` when nothing was deleted. */
  async function deleteSlice(
    user: User,
    owned: OwnedProjects,
    { origin, right, isFirst }: {
      readonly origin: Origin; readonly right: Statement; readonly isFirst: boolean,
    },
  ): Promise<'more' | 'last' | 'nothing'> {
    const mayGo = {
      sql: `
        users.id = ? AND users.version = coalesce(?, users.version) AND ${IS_DISPENSABLE} AND ${right.sql}`,
      parameters: [user.id, isFirst ? user.version : null, ...right.parameters],
    };
    const { counts } = await database.change([
      ...toProjectStatements(user, owned, { mayGo, origin }),
      {
        sql: `
          DELETE FROM tokens WHERE id IN (
            SELECT id FROM tokens
            WHERE user_id = ? AND ${HAS_ENDED}
              AND EXISTS (SELECT 1 FROM users WHERE ${mayGo.sql} AND project_count = 0)
            LIMIT ?
          )`,
        parameters: [user.id, origin.at, ...mayGo.parameters, SLICE_MAX],
      },
      {
        sql: `
          DELETE FROM users WHERE ${mayGo.sql} AND project_count = 0
            AND NOT EXISTS (SELECT 1 FROM tokens WHERE user_id = users.id AND ${HAS_ENDED})`,
        parameters: [...mayGo.parameters, origin.at],
      },
      toAuditStatement(
        { action: 'user.delete', resource: toResource(user), details: `owned_projects=${owned.kind}` },
        origin,
      ),
    ]);
    if (counts.at(-2) === 1) { // the deletion of the user, before its audit event
      return 'last';
    }
    return counts.some((count) => count > 0) ? 'more' : 'nothing';
  }

  /** The statements about projects. They run before the user is deleted, under the same condition. */
  function toProjectStatements(
    { id }: User,
    owned: OwnedProjects,
    { mayGo, origin }: { readonly mayGo: Statement; readonly origin: Origin },
  ): readonly Statement[] {
    const room = toRoomCondition(id, owned);
    const condition = {
      sql: `
        projects.id IN (SELECT id FROM projects WHERE owner_id = ? ORDER BY id LIMIT ?)
        AND EXISTS (SELECT 1 FROM users WHERE ${mayGo.sql}) AND ${room.sql}`,
      parameters: [id, SLICE_MAX, ...mayGo.parameters, ...room.parameters],
    };
    switch (owned.kind) {
      case 'refuse':
        return [];
      case 'delete':
        return [
          toProjectsAuditStatement({ action: 'project.delete', details: '', condition }, origin),
          { sql: `DELETE FROM projects WHERE ${condition.sql}`, parameters: condition.parameters },
        ];
      case 'transfer':
        return [
          toProjectsAuditStatement(
            { action: 'project.update', details: `owner_id=${owned.newOwnerId}`, condition },
            origin,
          ),
          {
            sql: `UPDATE projects SET owner_id = ?, version = version + 1 WHERE ${condition.sql}`,
            parameters: [owned.newOwnerId, ...condition.parameters],
          },
        ];
    }
  }

  /** True when the receiver exists and may own all remaining projects of the user. */
  function toRoomCondition(id: UserId, owned: OwnedProjects): Statement {
    if (owned.kind !== 'transfer') {
      return { sql: 'TRUE', parameters: [] };
    }
    return {
      sql: `EXISTS (
        SELECT 1 FROM users AS giver JOIN users AS receiver ON receiver.id = ?
        WHERE giver.id = ? AND giver.project_count + receiver.project_count <= ?)`,
      parameters: [owned.newOwnerId, id, projectsPerUserMax],
    };
  }

  async function findExcess({ id }: User, owned: OwnedProjects): Promise<DeletionOutcome | undefined> {
    if (owned.kind !== 'transfer') {
      return undefined;
    }
    const [row] = await database.read({
      sql: `
        SELECT giver.project_count + receiver.project_count AS count
        FROM users AS giver JOIN users AS receiver ON receiver.id = ? WHERE giver.id = ?`,
      parameters: [owned.newOwnerId, id],
    });
    const isExcess = row !== undefined && integer(row, 'count') > projectsPerUserMax;
    return isExcess ? { kind: 'too-many-projects' } : undefined;
  }

  async function explainRefusal(origin: Origin, ownerId: UserId | undefined): Promise<Conflict | LostRight> {
    return (await findLostRight(database, origin, ownerId)) ?? { kind: 'conflict' };
  }
}

export type UserChanges = ReturnType<typeof createUserChanges>;

export function isActiveAdministrator(
  { isAdmin, isDisabled }: Pick<User, 'isAdmin' | 'isDisabled'>,
): boolean {
  return isAdmin && !isDisabled;
}

/** True for expired and revoked tokens. Their rows are kept for a while, and may far outnumber the valid. */
const HAS_ENDED = '(revoked_at IS NOT NULL OR expires_at <= ?)';

function toResource({ id, username }: User) {
  return { type: 'user', id, name: username } as const;
}

/** Describes changes for the audit trail. Leaves out email addresses: the trail outlives the account. */
function describeChanges(from: User, to: UserValues): string {
  return [
    ...(from.username === to.username ? [] : [`username=${toCutName(to.username)}`]),
    ...(from.email === to.email ? [] : ['email']),
    ...(from.isAdmin === to.isAdmin ? [] : [`is_admin=${to.isAdmin}`]),
    ...(from.isDisabled === to.isDisabled ? [] : [`disabled=${to.isDisabled}`]),
  ].join(', ');
}
