/**
 * The deletion of a user with projects and tokens, in batches that delay other requests by some milliseconds.
 *
 * The first batch decides everything: rights, version, the last administrator, and the room of the receiver.
 * It also disables the user, ends all sign-ins, and notes the deletion. Each batch then deletes or transfers
 * some projects, and the user goes with the last. Most users go with the first. After a crash, housekeeping
 * continues the deletions that it finds.
 */
import { setImmediate } from 'node:timers/promises';
import { integerOf, type Database, type Row, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { User, UserId } from '../model/user.ts';
import { toProjectsAuditStatement } from './audit.ts';
import { changeIf, guard, hasVersion, mayChange, type ExpectedVersion } from './guarded.ts';
import { toRevocation } from './tokens.ts';
import {
  IS_DISPENSABLE, mayChangeUser, needsPasswordForAdministrator, toTarget, toUserResource,
} from './user-changes.ts';

/** How the deletion of a user treats the projects of the user. Only administrators may transfer them. */
export type OwnedProjects =
  | { readonly kind: 'refuse' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'transfer'; readonly newOwnerId: UserId };

const PROJECTS_AT_ONCE = 200;
const SOME_PROJECTS =
  `projects.id IN (SELECT id FROM projects WHERE owner_id = ? ORDER BY id LIMIT ${PROJECTS_AT_ONCE})`;

/** The receiver may own all projects of the user as well. */
const HAS_ROOM_FOR_ALL = `EXISTS (
  SELECT 1 FROM users AS receiver
  WHERE receiver.id = ? AND users.project_count + receiver.project_count <= ?)`;
/** A user whose own deletion has begun receives nothing: the projects would go as well. */
const HAS_RECEIVER = `EXISTS (
  SELECT 1 FROM users AS receiver WHERE id = ? AND id NOT IN (SELECT user_id FROM deletions))`;
const IS_NOTED = 'EXISTS (SELECT 1 FROM deletions WHERE user_id = ?)';

export function createUserDeletion(
  database: Database,
  { projectsPerUserMax }: { readonly projectsPerUserMax: number },
) {
  return {
    async delete(user: User, owned: OwnedProjects, origin: Origin, expected: ExpectedVersion = 'any') {
      const { id } = user;
      const newOwnerId = owned.kind === 'transfer' ? owned.newOwnerId : null;
      const revocation = toRevocation(id, origin.at);
      const outcome = await changeIf(database, {
        target: toTarget(user),
        guards: [
          ...mayChangeUser(origin), ...needsPasswordForAdministrator(origin), ...toOwnedGuards(owned, origin),
          IS_DISPENSABLE, ...hasVersion('users', expected),
        ],
        write: ({ sql, parameters }) => ({
          sql: `
            INSERT INTO deletions (user_id, new_owner_id) SELECT users.id, ? FROM users WHERE ${sql}
            ON CONFLICT DO UPDATE SET new_owner_id = excluded.new_owner_id`,
          parameters: [newOwnerId, ...parameters],
        }),
        audit: {
          action: 'user.delete', resource: toUserResource(user), details: `owned_projects=${owned.kind}`,
        },
        then: [
          { sql: `UPDATE users SET disabled = 1 WHERE id = ? AND ${IS_NOTED}`, parameters: [id, id] },
          { sql: `${revocation.sql} AND ${IS_NOTED}`, parameters: [...revocation.parameters, id] },
          ...toBatch(id, newOwnerId, origin),
        ],
        toResult: () => undefined,
      }, origin);
      if (outcome.kind === 'refused') {
        return outcome;
      }
      while (await continueDeletion(origin, id)) {
        await setImmediate(); // lets waiting requests run between two batches
      }
      return (await isThere(id)) ? { kind: 'refused' as const, reason: 'unknownOwner' as const } : outcome;
    },

    continueDeletion,
  };

  /**
   * Runs a batch of a deletion that has begun.
   *
   * @param id - The user; any user unless it is given.
   * @returns False if there was nothing to do.
   */
  async function continueDeletion(origin: Origin, id?: UserId): Promise<boolean> {
    const [row] = await database.read({
      sql: 'SELECT user_id, new_owner_id FROM deletions WHERE user_id = coalesce(?, user_id) LIMIT 1',
      parameters: [id ?? null],
    });
    if (row !== undefined) {
      await database.write(toBatch(integerOf(row, 'user_id') as UserId, toNewOwner(row), origin));
    }
    return row !== undefined;
  }

  async function isThere(id: UserId): Promise<boolean> {
    return (await database.read({ sql: 'SELECT 1 FROM users WHERE id = ?', parameters: [id] })).length > 0;
  }

  function toOwnedGuards(owned: OwnedProjects, origin: Origin) {
    switch (owned.kind) {
      case 'refuse':
        return [guard('projectsOwned', 'users.project_count = 0')];
      case 'delete':
        return [];
      case 'transfer':
        return [
          ...mayChange('transferByAdministratorOnly', origin, 'NULL'),
          guard('unknownOwner', HAS_RECEIVER, [owned.newOwnerId]),
          guard('tooManyProjects', HAS_ROOM_FOR_ALL, [owned.newOwnerId, projectsPerUserMax]),
        ];
    }
  }
}

export type UserDeletion = ReturnType<typeof createUserDeletion>;

function toNewOwner(row: Row): UserId | null {
  return row['new_owner_id'] === null ? null : integerOf(row, 'new_owner_id') as UserId;
}

/**
 * If the receiver of the projects is gone, nothing more is transferred, and the note goes: an administrator
 * decides again about the user, who stays disabled.
 */
function toBatch(id: UserId, newOwnerId: UserId | null, origin: Origin): readonly Statement[] {
  const end = {
    sql: `DELETE FROM users WHERE id = ? AND project_count = 0 AND ${IS_NOTED}`, parameters: [id, id],
  };
  if (newOwnerId === null) {
    const condition = { sql: `${SOME_PROJECTS} AND ${IS_NOTED}`, parameters: [id, id] };
    return [
      toProjectsAuditStatement({ action: 'project.delete', details: '', condition }, origin),
      { sql: `DELETE FROM projects WHERE ${condition.sql}`, parameters: condition.parameters },
      end,
    ];
  }
  const condition = {
    sql: `${SOME_PROJECTS} AND ${IS_NOTED} AND ${HAS_RECEIVER}`, parameters: [id, id, newOwnerId],
  };
  const details = `owner_id=${newOwnerId}`;
  return [
    toProjectsAuditStatement({ action: 'project.update', details, condition }, origin),
    {
      sql: `UPDATE projects SET owner_id = ?, version = version + 1 WHERE ${condition.sql}`,
      parameters: [newOwnerId, ...condition.parameters],
    },
    end,
    { sql: `DELETE FROM deletions WHERE user_id = ? AND NOT ${HAS_RECEIVER}`, parameters: [id, newOwnerId] },
  ];
}
