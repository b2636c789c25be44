/**
 * Changes of users. All requirements of a change are guards of its statement, so no two concurrent changes
 * can leave the service without an administrator. Nothing depends on the version of the user unless the
 * request asks for one: a user who keeps changing the own account cannot keep an administrator from it.
 */
import { setImmediate } from 'node:timers/promises';
import type { Database, Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toNameKey } from '../model/name.ts';
import type { TokenId } from '../model/token.ts';
import { NO_PASSWORD, type PasswordHash, type User, type UserId } from '../model/user.ts';
import { toAuditStatement, toCutName, toProjectsAuditStatement } from './audit.ts';
import {
  allOf, assign, ATTEMPTS_MAX, changeIf, CONFLICT, findFailed, guard, hasVersion, isSignedIn, mayChange,
  type ExpectedVersion, type Guard, type Outcome, type Target,
} from './guarded.ts';
import { endLinksOfAdministrator, endLinksOfFormerAdministrator, toRevocation } from './tokens.ts';
import { REPRESENT_BY_ID, toUserRepresentation } from './users.ts';

/** The values of a user that can be changed, except the password. */
export type UserValues = Pick<User, 'username' | 'email' | 'isAdmin' | 'isDisabled'>;

interface NewPassword {
  readonly passwordHash: PasswordHash;
  /** The version of the current password that was checked; absent if an administrator sets a new one. */
  readonly checkedVersion?: number | undefined;
  /** A token that stays valid; all other tokens of the user are revoked. */
  readonly sparedTokenId?: TokenId | undefined;
}

/** How the deletion of a user treats the projects of the user. Only administrators may transfer them. */
export type OwnedProjects =
  | { readonly kind: 'refuse' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'transfer'; readonly newOwnerId: UserId };

type DeletionReason = 'unauthenticated' | 'noSuchUser' | 'ownAccountOnly' | 'passwordNeeded'
  | 'lastAdministrator' | 'projectsOwned' | 'transferByAdministratorOnly' | 'unknownOwner' | 'tooManyProjects'
  | 'preconditionFailed';

/**
 * The most projects (or tokens) in one batch: at most 2 MB, whose writing dominates the time of the batch.
 */
const SLICE_MAX = 100;

/** The user is not an active administrator, or another one can sign in: is enabled and has a password. */
const IS_DISPENSABLE = guard('lastAdministrator', `(users.is_admin = 0 OR users.disabled = 1 OR
  EXISTS (
    SELECT 1 FROM users AS other
    WHERE other.is_admin = 1 AND other.disabled = 0 AND other.password_hash <> '${NO_PASSWORD}'
      AND other.id <> users.id
  ))`);

const IS_FREE =
  'NOT EXISTS (SELECT 1 FROM users AS other WHERE other.username_key = ? AND other.id <> users.id)';

export function createUserChanges(
  database: Database,
  { projectsPerUserMax }: { readonly projectsPerUserMax: number },
) {
  return {
    /** Changes the given values. Only administrators may change the role and the state. */
    update(user: User, to: Partial<UserValues>, origin: Origin, expected: ExpectedVersion = 'any') {
      const { username, email, isAdmin, isDisabled } = to;
      const isAboutRights = isAdmin !== undefined || isDisabled !== undefined;
      const key = username === undefined ? undefined : toNameKey(username);
      const columns = assign({
        username, username_key: key, email,
        is_admin: isAdmin === undefined ? undefined : Number(isAdmin),
        disabled: isDisabled === undefined ? undefined : Number(isDisabled),
      });
      return changeIf(database, {
        target: toTarget(user),
        guards: [
          ...mayChangeUser(origin),
          ...(isAboutRights ? mayChange('rightsByAdministratorOnly', origin, 'NULL') : []),
          ...(isAboutRights ? needsPasswordForAdministrator(origin) : []),
          ...(key === undefined ? [] : [guard('usernameTaken', IS_FREE, [key])]),
          ...(isAdmin === false || isDisabled === true ? [IS_DISPENSABLE] : []),
          ...hasVersion('users', expected),
        ],
        write: ({ sql, parameters }) => ({
          sql: `UPDATE users SET ${columns.sql} version = version + 1 WHERE ${sql}`,
          parameters: [...columns.parameters, ...parameters],
        }),
        audit: { action: 'user.update', resource: toUserResource(user), details: describeUserChanges(to) },
        then: [
          // A link that was made for a plain user may come from a stolen token.
          ...(isAdmin === true ? [endLinksOfAdministrator(user.id, origin.at)] : []),
          ...(isAboutRights ? [endLinksOfFormerAdministrator(user.id, origin.at)] : []),
        ],
        readBack: { sql: REPRESENT_BY_ID, parameters: [user.id] },
        toResult: toUserRepresentation,
      }, origin);
    },

    /** Sets a new password, and revokes every token of the user except a spared one. */
    setPassword(user: User, password: NewPassword, origin: Origin, expected: ExpectedVersion = 'any') {
      const { passwordHash, checkedVersion, sparedTokenId } = password;
      const revocation = toRevocation(user.id, origin.at, sparedTokenId);
      return changeIf(database, {
        target: toTarget(user),
        guards: [
          ...mayChangeUser(origin),
          ...(checkedVersion === undefined
            ? []
            : [guard('wrongPassword', 'users.password_version = ?', [checkedVersion])]),
          ...(origin.user?.id === user.id ? [] : needsPasswordForAdministrator(origin)),
          ...hasVersion('users', expected),
        ],
        write: ({ sql, parameters }) => ({
          sql: `
            UPDATE users SET password_hash = ?, password_version = password_version + 1, version = version + 1
            WHERE ${sql}`,
          parameters: [passwordHash, ...parameters],
        }),
        audit: { action: 'user.password', resource: toUserResource(user) },
        then: [{
          // Revoke only if the new password was set.
          sql: `${revocation.sql} AND EXISTS (SELECT 1 FROM users WHERE id = ? AND password_hash = ?)`,
          parameters: [...revocation.parameters, user.id, passwordHash],
        }],
        toResult: () => undefined,
      }, origin);
    },

    /**
     * Deletes a user with all of their tokens.
     *
     * Many projects are deleted slice by slice, and the user with the last slice; other requests run between
     * two slices. If the process ends in between, the user still exists with the remaining projects, and the
     * same request completes the deletion. Projects that the user creates in the meantime are included.
     */
    async delete(
      user: User, owned: OwnedProjects, origin: Origin, expected: ExpectedVersion = 'any',
    ): Promise<Outcome<DeletionReason>> {
      let guards: readonly Guard<DeletionReason>[] = [
        ...mayDelete(owned, origin), ...hasVersion('users', expected),
      ];
      for (let attempt = 1; attempt <= ATTEMPTS_MAX;) {
        const slice = await deleteSlice(user, owned, { origin, mayGo: allOf(guards, toTarget(user)) });
        if (slice === 'last') {
          return { kind: 'changed', result: undefined };
        }
        if (slice === 'more') {
          guards = mayDelete(owned, origin); // the version was checked with the first slice
          await setImmediate();
          continue;
        }
        const failed = await findFailed(database, guards, toTarget(user));
        if (failed !== undefined) {
          return failed;
        }
        attempt += 1;
      }
      return CONFLICT;
    },
  };

  function mayDelete(owned: OwnedProjects, origin: Origin): readonly Guard<DeletionReason>[] {
    return [
      ...mayChangeUser(origin), ...needsPasswordForAdministrator(origin), ...toOwnedGuards(owned, origin),
      IS_DISPENSABLE,
    ];
  }

  function toOwnedGuards(owned: OwnedProjects, origin: Origin): readonly Guard<DeletionReason>[] {
    switch (owned.kind) {
      case 'refuse':
        return [guard('projectsOwned', 'users.project_count = 0')];
      case 'delete':
        return [];
      case 'transfer':
        return [
          ...mayChange('transferByAdministratorOnly', origin, 'NULL'),
          guard('unknownOwner', 'EXISTS (SELECT 1 FROM users AS receiver WHERE id = ?)', [owned.newOwnerId]),
          guard('tooManyProjects', HAS_ROOM_FOR_ALL, [owned.newOwnerId, projectsPerUserMax]),
        ];
    }
  }

  /** @returns `last` when the user was deleted, and `nothing` when nothing was deleted. */
  async function deleteSlice(
    user: User, owned: OwnedProjects,
    { origin, mayGo }: { readonly origin: Origin; readonly mayGo: Statement },
  ): Promise<'more' | 'last' | 'nothing'> {
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
        { action: 'user.delete', resource: toUserResource(user), details: `owned_projects=${owned.kind}` },
        origin,
      ),
    ]);
    const [deleted] = counts.slice(-2); // before its audit event
    if (deleted === 1) {
      return 'last';
    }
    return counts.slice(0, -2).some((count) => count > 0) ? 'more' : 'nothing';
  }
}

export type UserChanges = ReturnType<typeof createUserChanges>;

/** True for expired and revoked tokens. Their rows are kept for a while, and may far outnumber the valid. */
const HAS_ENDED = '(revoked_at IS NOT NULL OR expires_at <= ?)';

/** The receiver may own all remaining projects of the user. */
const HAS_ROOM_FOR_ALL = `EXISTS (
  SELECT 1 FROM users AS receiver
  WHERE receiver.id = ? AND users.project_count + receiver.project_count <= ?)`;

/** The statements about projects. They run before the user is deleted, under the same condition. */
function toProjectStatements(
  { id }: User, owned: OwnedProjects,
  { mayGo, origin }: { readonly mayGo: Statement; readonly origin: Origin },
): readonly Statement[] {
  const condition = {
    sql: `
      projects.id IN (SELECT id FROM projects WHERE owner_id = ? ORDER BY id LIMIT ?)
      AND EXISTS (SELECT 1 FROM users WHERE ${mayGo.sql})`,
    parameters: [id, SLICE_MAX, ...mayGo.parameters],
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

/** The user still exists, and the caller may change it. */
function mayChangeUser(origin: Origin) {
  return [
    ...isSignedIn(origin),
    guard('noSuchUser', 'users.id IS NOT NULL'),
    ...mayChange('ownAccountOnly', origin, 'users.id'),
  ];
}

/** A token is not enough to change an administrator. The user may have become one since the look-up. */
function needsPasswordForAdministrator({ signIn }: Origin) {
  return signIn === 'token' ? [guard('passwordNeeded', 'users.is_admin = 0')] : [];
}

function toTarget({ id }: User): Target {
  return { table: 'users', column: 'id', value: id };
}

function toUserResource({ id, username }: User) {
  return { type: 'user', id, name: username } as const;
}

/** Describes changes for the audit trail. Leaves out email addresses: the trail outlives the account. */
function describeUserChanges({ username, email, isAdmin, isDisabled }: Partial<UserValues>): string {
  return [
    ...(username === undefined ? [] : [`username=${toCutName(username)}`]),
    ...(email === undefined ? [] : ['email']),
    ...(isAdmin === undefined ? [] : [`is_admin=${isAdmin}`]),
    ...(isDisabled === undefined ? [] : [`disabled=${isDisabled}`]),
  ].join(', ');
}
