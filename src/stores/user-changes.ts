/**
 * Changes of users. All requirements of a change are guards of its statement, so no two concurrent changes
 * can leave the service without an administrator. Nothing depends on the version of the user unless the
 * request asks for one: a user who keeps changing the own account cannot keep an administrator from it.
 */
import type { Database } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toNameKey } from '../model/name.ts';
import type { TokenId } from '../model/token.ts';
import { NO_PASSWORD, type PasswordHash, type User } from '../model/user.ts';
import { toCutName } from './audit.ts';
import {
  assign, changeIf, guard, hasVersion, isSignedIn, mayChange, type ExpectedVersion, type Target,
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

/** The user is not an active administrator, or another one can sign in: is enabled and has a password. */
export const IS_DISPENSABLE = guard('lastAdministrator', `(users.is_admin = 0 OR users.disabled = 1 OR
  EXISTS (
    SELECT 1 FROM users AS other
    WHERE other.is_admin = 1 AND other.disabled = 0 AND other.password_hash <> '${NO_PASSWORD}'
      AND other.id <> users.id
  ))`);

const IS_FREE =
  'NOT EXISTS (SELECT 1 FROM users AS other WHERE other.username_key = ? AND other.id <> users.id)';

export function createUserChanges(database: Database) {
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
  };
}

export type UserChanges = ReturnType<typeof createUserChanges>;

/** The user still exists, and the caller may change it. */
export function mayChangeUser(origin: Origin) {
  return [
    ...isSignedIn(origin),
    guard('noSuchUser', 'users.id IS NOT NULL'),
    ...mayChange('ownAccountOnly', origin, 'users.id'),
  ];
}

/** A token is not enough to change an administrator. The user may have become one since the look-up. */
export function needsPasswordForAdministrator({ signIn }: Origin) {
  return signIn === 'token' ? [guard('passwordNeeded', 'users.is_admin = 0')] : [];
}

export function toTarget({ id }: User): Target {
  return { table: 'users', column: 'id', value: id };
}

export function toUserResource({ id, username }: User) {
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
