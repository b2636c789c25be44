/**
 * The deletion of a user with projects and tokens, in batches that delay other requests by some milliseconds.
 *
 * The first batch decides everything. It disables the user, ends all sign-ins, and notes the deletion; a user
 * without projects goes with it. Each later batch deletes or transfers some projects, and the user goes with
 * the last. After a crash, housekeeping continues the deletions that it finds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { raw, sql, type Database, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { UserId } from '../model/user.ts';
import { toAuditStatement } from './audit.ts';
import {
  allowed, changeIf, exists, guard, hasVersion, mayChange, targetAt, type ExpectedVersion,
} from './guards.ts';
import { revokeTokens } from './tokens.ts';
import { IS_DISPENSABLE, mayChangeUser, needsPassword } from './user-changes.ts';
import { receiverNamed, type UserAddress } from './users.ts';

/** How the deletion of a user treats the projects of the user. Only administrators may transfer them. */
export type OwnedProjects =
  | { readonly kind: 'refuse' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'transfer'; readonly newOwner: string };

const PROJECTS_AT_ONCE = 200;

export function createUserDeletion(
  database: Database,
  { projectsPerUserMax }: { readonly projectsPerUserMax: number },
) {
  return {
    async delete(
      address: UserAddress, owned: OwnedProjects, origin: Origin, expected: ExpectedVersion = 'any',
    ) {
      const target = targetAt('users', address);
      const newOwner = owned.kind === 'transfer' ? receiverNamed(owned.newOwner) : raw('NULL');
      const outcome = await changeIf(database, {
        target,
        guards: [
          ...mayChangeUser(origin),
          ...needsPassword(origin, sql`users.is_admin = 0 AND users.id <> ${origin.user?.id ?? null}`),
          ...(owned.kind === 'refuse' ? [guard('projectsOwned', raw('users.project_count = 0'))] : []),
          ...(owned.kind === 'transfer' ? mayReceiveAll(newOwner, origin) : []),
          IS_DISPENSABLE,
          ...hasVersion('users', expected),
        ],
        writes: [
          toAuditStatement({
            action: 'user.delete', table: 'users', rows: allowed(target),
            details: `owned_projects=${owned.kind}`,
          }, origin),
          sql`INSERT INTO deletions (user_id, new_owner_id)
            SELECT users.id, ${newOwner} FROM users WHERE ${allowed(target)}
            ON CONFLICT DO UPDATE SET new_owner_id = excluded.new_owner_id`,
          revokeTokens(target, origin),
          sql`UPDATE users SET disabled = 1 WHERE ${allowed(target)}`,
          sql`DELETE FROM users WHERE ${allowed(target)} AND project_count = 0`,
        ],
        readBack: sql`SELECT max(id) AS id FROM users WHERE ${target.row}`,
        toResult: ({ id }) => id as UserId | null,
      });
      const id = outcome.kind === 'changed' ? outcome.result : null;
      while (id !== null && await continueDeletion(origin, id)) {
        await nextTurn(); // lets waiting requests run between two batches
      }
      const kept = id === null ? [] : await database.read(sql`SELECT 1 FROM users WHERE id = ${id}`);
      return kept.length > 0 ? { kind: 'refused' as const, reason: 'unknownOwner' as const } : outcome;
    },

    continueDeletion,
  };

  /**
   * Runs a batch of a deletion that has begun. If the receiver of the projects is gone, it only removes the
   * note: an administrator decides again about the user, who stays disabled.
   *
   * @param id - The user; any user unless it is given.
   * @returns False if there was nothing to do.
   */
  async function continueDeletion(origin: Origin, id: UserId | null = null): Promise<boolean> {
    const [noted] = await database.read(
      sql`SELECT user_id, new_owner_id FROM deletions WHERE user_id = coalesce(${id}, user_id) LIMIT 1`,
    );
    if (noted === undefined) {
      return false;
    }
    const { user_id: userId = null, new_owner_id: newOwner = null } = noted;
    const isNoted = sql`EXISTS (SELECT 1 FROM deletions WHERE user_id = ${userId})`;
    const isReceived = newOwner === null ? raw('TRUE') : sql`EXISTS (
      SELECT 1 FROM users WHERE id = ${newOwner} AND id NOT IN (SELECT user_id FROM deletions))`;
    const rows = sql`${isNoted} AND ${isReceived} AND projects.id IN (
      SELECT id FROM projects WHERE owner_id = ${userId} ORDER BY id LIMIT ${PROJECTS_AT_ONCE})`;
    const [action, details, change] = newOwner === null
      ? ['project.delete', '', sql`DELETE FROM projects`] as const
      : ['project.update', `owner_id=${newOwner}`,
        sql`UPDATE projects SET owner_id = ${newOwner}, version = version + 1`] as const;
    await database.write([
      toAuditStatement({ action, table: 'projects', rows, details }, origin),
      sql`${change} WHERE ${rows}`,
      sql`DELETE FROM users WHERE id = ${userId} AND project_count = 0 AND ${isNoted}`,
      sql`DELETE FROM deletions WHERE user_id = ${userId} AND NOT ${isReceived}`,
    ]);
    return true;
  }

  /** The receiver may own all projects of the user as well. */
  function mayReceiveAll(receiver: Statement, origin: Origin) {
    return [
      exists('unknownOwner', origin, receiver),
      guard('invalidParameter', sql`${receiver} <> users.id`),
      ...mayChange('transferByAdministratorOnly', origin, raw('NULL')),
      guard('tooManyProjects', sql`${projectsPerUserMax} >= users.project_count + (
        SELECT project_count FROM users AS receiver WHERE receiver.id = ${receiver})`),
    ];
  }
}

export type UserDeletion = ReturnType<typeof createUserDeletion>;
