/**
 * Changes of users. A change without a precondition ignores the version of the user. Otherwise, users could
 * block an administrator's change by changing their accounts repeatedly.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { raw, sql, type Database, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toNameKey, type IdOrName } from '../model/name.ts';
import type { TokenId } from '../model/token.ts';
import { NO_PASSWORD, type Account, type User, type UserId } from '../model/user.ts';
import { toAuditStatement, toCut } from './audit.ts';
import {
  ALLOWED, changeIf, exists, guard, hasVersion, ifAllowed, isNameFree, mayChange, mayChangeRecord, recordAt,
  renamed, type ExpectedVersion, type Target,
} from './guards.ts';
import { endLinks, revokeTokens } from './tokens.ts';
import { receiverNamed, selectRepresentation, toUserRepresentation } from './users.ts';

export type UserPatch = {
  readonly [Name in 'username' | 'email' | 'isAdmin' | 'isDisabled']?: User[Name] | undefined;
};

interface NewPassword extends Pick<Account, 'passwordHash'> {
  /** The version of the password that was checked; absent if no password was checked. */
  readonly checkedVersion?: number | undefined;
  /** The only token that stays valid when the password of the user changes. */
  readonly sparedTokenId?: TokenId | undefined;
}

interface OwnedProjects {
  readonly kind: 'refuse' | 'delete' | 'transfer';
  /** The username of the user who receives the projects. */
  readonly newOwner?: string | undefined;
}

/** A deletion changes at most this many projects in one batch. The batch takes milliseconds. */
const PROJECTS_AT_ONCE = 200;

export function createUserChanges(database: Database, projectsPerUserMax: number) {
  return {
    update(ref: IdOrName<UserId>, to: UserPatch, origin: Origin, expected?: ExpectedVersion) {
      const { username = null, email = null, isAdmin, isDisabled } = to;
      const [admin = null, disabled = null] = [isAdmin, isDisabled].map((flag) =>
        flag === undefined ? null : Number(flag));
      const isLossOfRights = isAdmin === false || isDisabled === true;
      const key = username === null ? null : toNameKey(username);
      const target = recordAt('users', ref);
      // The audit trail outlives the accounts, so events contain no email addresses.
      const details = sql`concat_ws(', ',
        iif(users.username <> ${username}, 'username=' || ${toCut(username)}, NULL),
        iif(email <> ${email}, 'email', NULL),
        iif(is_admin <> ${admin}, ${`is_admin=${isAdmin}`}, NULL),
        iif(disabled <> ${disabled}, ${`disabled=${isDisabled}`}, NULL))`;
      // If a request changes nothing, there is no audit event, and the version stays the same.
      const changed: Target = { ...target, row: sql`${target.row} AND ${details} <> ''` };
      const id = sql`(SELECT id FROM users WHERE ${changed.row})`;
      return changeIf(database, origin, target, {
        guards: [
          ...mayChangeUser(origin),
          // Many clients send back the whole record, so every caller is allowed to send unchanged rights.
          mayChange('rightsByAdministratorOnly', origin, sql`iif(
            users.is_admin = coalesce(${admin}, users.is_admin)
            AND users.disabled = coalesce(${disabled}, users.disabled), caller.id, NULL)`),
          // A thief with a stolen token must not be able to lock the owner out, or to gain lasting rights.
          needsPassword(origin, sql`users.username = coalesce(${username}, users.username)
            AND users.is_admin = coalesce(${admin}, users.is_admin)
            AND (users.is_admin = 0 OR users.disabled = coalesce(${disabled}, users.disabled))`),
          key !== null && isNameFree('usernameTaken', 'users', key, raw('users.id')),
          isLossOfRights && IS_DISPENSABLE,
          hasVersion('users', expected),
        ],
        writes: [
          toAuditStatement('user.update', changed, origin, details),
          // When a user becomes an administrator, the password links for this user stop working. A thief with
          // a stolen token may have made these links.
          ...(isAdmin === true ? [endLinks(sql`user_id = (
            SELECT id FROM users WHERE ${changed.row} AND is_admin = 0)`)] : []),
          // When users lose rights, the service deletes the password links that these users made.
          ...(isLossOfRights ? [endLinks(sql`maker_id = ${id}`)] : []),
          sql`UPDATE users SET username = coalesce(${username}, username),
            username_key = coalesce(${key}, username_key), email = coalesce(${email}, email),
            is_admin = coalesce(${admin}, is_admin), disabled = coalesce(${disabled}, disabled),
            version = version + 1
            WHERE ${ifAllowed(changed)}`,
        ],
        readBack: selectRepresentation(renamed(ref, to.username)),
        toResult: toUserRepresentation,
      });
    },

    setPassword(
      ref: IdOrName<UserId>, { passwordHash, checkedVersion, sparedTokenId }: NewPassword, origin: Origin,
      expected?: ExpectedVersion,
    ) {
      const target = recordAt('users', ref);
      return changeIf(database, origin, target, {
        guards: [
          ...mayChangeUser(origin),
          needsPassword(origin, sql`users.is_admin = 0 OR users.id = ${origin.user?.id ?? null}`),
          checkedVersion !== undefined
            && guard('wrongPassword', sql`users.password_version = ${checkedVersion}`),
          hasVersion('users', expected),
        ],
        writes: [
          toAuditStatement('user.password', target, origin),
          revokeTokens(target, sparedTokenId),
          sql`UPDATE users SET password_hash = ${passwordHash}, password_version = password_version + 1,
            version = version + 1 WHERE ${ifAllowed(target)}`,
        ],
      });
    },

    /**
     * The first batch of a deletion checks the guards, disables the user, revokes all tokens of the user, and
     * records the deletion. Each later batch deletes or transfers some projects of the user. The last batch
     * of a deletion also deletes the user. After a crash, housekeeping continues the deletion.
     */
    async delete(
      ref: IdOrName<UserId>, { kind, newOwner: name }: OwnedProjects, origin: Origin,
      expected?: ExpectedVersion,
    ) {
      const target = recordAt('users', ref);
      const newOwner = name === undefined ? raw('NULL') : receiverNamed(name);
      const outcome = await changeIf(database, origin, target, {
        guards: [
          ...mayChangeUser(origin),
          needsPassword(origin, sql`users.is_admin = 0 AND users.id <> ${origin.user?.id ?? null}`),
          kind === 'refuse' && guard('projectsOwned', raw('users.project_count = 0')),
          ...(kind !== 'transfer' ? [] : [
            exists('unknownOwner', origin, newOwner),
            guard('invalidParameter', sql`${newOwner} <> users.id`),
            mayChange('transferByAdministratorOnly', origin),
            guard('tooManyProjects', sql`${projectsPerUserMax} >= users.project_count + (
              SELECT project_count FROM users AS receiver WHERE receiver.id = ${newOwner})`),
          ]),
          IS_DISPENSABLE,
          hasVersion('users', expected),
        ],
        writes: [
          toAuditStatement('user.delete', target, origin, `owned_projects=${kind}`),
          sql`INSERT INTO deletions (user_id, new_owner_id)
            SELECT users.id, ${newOwner} FROM users WHERE ${ifAllowed(target)}
            ON CONFLICT DO UPDATE SET new_owner_id = excluded.new_owner_id`,
          // Stops transfers to the deleted user. Otherwise, transferred projects would be deleted, too.
          sql`DELETE FROM deletions
            WHERE new_owner_id = (SELECT id FROM users WHERE ${target.row}) AND ${ALLOWED}`,
          revokeTokens(target),
          sql`UPDATE users SET disabled = 1 WHERE ${ifAllowed(target)}`,
          sql`DELETE FROM users WHERE ${ifAllowed(target)} AND project_count = 0`,
        ],
        // A query with `max` always returns a row. Without a row, the cluster driver would report an outage.
        readBack: sql`SELECT max(id) AS id FROM users WHERE ${target.row}`,
        toResult: ({ id }) => id as UserId | null,
      });
      const id = outcome.kind === 'changed' ? outcome.result : null;
      while (id !== null && await continueDeletion(origin, id)) {
        await nextTurn();
      }
      const kept = await database.read(sql`SELECT 1 FROM users WHERE id = ${id}`);
      return kept.length > 0 ? { kind: 'refused' as const, reason: 'unknownOwner' as const } : outcome;
    },

    continueDeletion,
  };

  /**
   * Runs one more batch to delete user `id`. If `id` is null, chooses one of the unfinished deletions. If the
   * new owner of the projects is deleted before this deletion is complete, this deletion is cancelled. The
   * old owner stays disabled.
   *
   * @returns False if there was no deletion to continue.
   */
  async function continueDeletion(origin: Origin, id: UserId | null = null): Promise<boolean> {
    const [noted] = await database.read(sql`
      SELECT user_id, new_owner_id FROM deletions WHERE user_id = coalesce(${id}, user_id) LIMIT 1`);
    if (noted === undefined) {
      return false;
    }
    const { user_id: userId = null, new_owner_id: newOwner = null } = noted;
    const isNoted = sql`EXISTS (
      SELECT 1 FROM deletions WHERE (user_id, new_owner_id) IS (${userId}, ${newOwner}))`;
    const row = sql`${isNoted} AND projects.id IN (
      SELECT id FROM projects WHERE owner_id = ${userId} ORDER BY id LIMIT ${PROJECTS_AT_ONCE})`;
    const projects: Target = { table: 'projects', row };
    const changes = newOwner === null
      ? [toAuditStatement('project.delete', projects, origin), sql`DELETE FROM projects WHERE ${row}`]
      : [
        toAuditStatement('project.update', projects, origin, `owner_id=${newOwner}`),
        sql`UPDATE projects SET owner_id = ${newOwner}, version = version + 1 WHERE ${row}`,
      ];
    const deleteUser = sql`DELETE FROM users WHERE id = ${userId} AND project_count = 0 AND ${isNoted}`;
    await database.write([...changes, deleteUser]);
    return true;
  }
}

export type UserChanges = ReturnType<typeof createUserChanges>;

/** Fails if the user is an enabled administrator, and no other enabled administrator has a password. */
const IS_DISPENSABLE = guard('lastAdministrator', raw(`
  users.is_admin = 0 OR users.disabled = 1 OR EXISTS (
    SELECT 1 FROM users AS other
    WHERE other.is_admin = 1 AND other.disabled = 0 AND other.password_hash <> '${NO_PASSWORD}'
      AND other.id <> users.id
  )`));

const mayChangeUser = (origin: Origin) =>
  mayChangeRecord('noSuchUser', 'ownAccountOnly', origin, raw('users.id'));

/** @param isEnough - If this condition is true, a caller with a token does not need the password. */
const needsPassword = ({ signIn }: Origin, isEnough: Statement) =>
  signIn === 'token' && guard('passwordNeeded', isEnough);
