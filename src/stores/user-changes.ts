/**
 * Changes of users. All requirements of a change are guards, so no two concurrent changes can leave the
 * service without an administrator. Nothing depends on the version of the user unless the request asks for
 * one: a user who keeps changing the own account cannot keep an administrator from it.
 */
import { raw, sql, type Database, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import { toNameKey } from '../model/name.ts';
import type { TokenId } from '../model/token.ts';
import { NO_PASSWORD, type PasswordHash, type User } from '../model/user.ts';
import { toAuditStatement, toCutName } from './audit.ts';
import {
  allowed, changeIf, exists, findRefusal, guard, hasVersion, isSignedIn, mayChange, renamed, targetAt,
  type ExpectedVersion,
} from './guards.ts';
import { endLinks, revokeTokens } from './tokens.ts';
import { isFree, representUser, toUserRepresentation, type UserAddress } from './users.ts';

/** The values of a user that can be changed, except the password. */
export type UserPatch = {
  readonly [Name in 'username' | 'email' | 'isAdmin' | 'isDisabled']?: User[Name] | undefined;
};

interface UpdateConditions {
  readonly expected?: ExpectedVersion;
  /** The client has met too many taken names to learn of another one, or of a free one. */
  readonly isNameLimited?: boolean;
}

interface NewPassword {
  readonly passwordHash: PasswordHash;
  /** The version of the current password that was checked; absent if an administrator sets a new one. */
  readonly checkedVersion?: number | undefined;
  /** A token that stays valid; all other tokens of the user are revoked. */
  readonly sparedTokenId?: TokenId | undefined;
}

/** The user is not an active administrator, or another one can sign in: is enabled and has a password. */
export const IS_DISPENSABLE = guard('lastAdministrator', raw(`
  users.is_admin = 0 OR users.disabled = 1 OR EXISTS (
    SELECT 1 FROM users AS other
    WHERE other.is_admin = 1 AND other.disabled = 0 AND other.password_hash <> '${NO_PASSWORD}'
      AND other.id <> users.id
  )`));

export function createUserChanges(database: Database) {
  return {
    /** Changes the given values. Only administrators may change the role and the state. */
    update(
      address: UserAddress, to: UserPatch, origin: Origin,
      { expected = 'any', isNameLimited = false }: UpdateConditions = {},
    ) {
      const { username = null, email = null, isAdmin, isDisabled } = to;
      const [admin, disabled] = [toColumn(isAdmin), toColumn(isDisabled)];
      const isAboutRights = isAdmin !== undefined || isDisabled !== undefined;
      const key = username === null ? null : toNameKey(username);
      const target = targetAt('users', address);
      // A value that stays the same is no change: it has no event, and the record keeps its version.
      const changed = sql`${allowed(target)} AND (users.username, users.email, is_admin, disabled) IS NOT (
        coalesce(${username}, users.username), coalesce(${email}, users.email),
        coalesce(${admin}, is_admin), coalesce(${disabled}, disabled))`;
      return changeIf(database, {
        target,
        guards: [
          ...mayChangeUser(origin),
          ...(isAboutRights ? mayChange('rightsByAdministratorOnly', origin, raw('NULL')) : []),
          // A stolen token must neither lock its owner out nor make lasting power.
          ...needsPassword(origin, sql`users.username = coalesce(${username}, users.username)
            AND users.is_admin = coalesce(${admin}, users.is_admin)
            AND (users.is_admin = 0 OR users.disabled = coalesce(${disabled}, users.disabled))`),
          ...(isNameLimited ? [guard('tooManyAttempts', sql`users.username = ${username}`)] : []),
          ...(key === null ? [] : [isFree(key, raw('users.id'))]),
          ...(isAdmin === false || isDisabled === true ? [IS_DISPENSABLE] : []),
          ...hasVersion('users', expected),
        ],
        writes: [
          toAuditStatement({
            action: 'user.update', table: 'users', rows: changed, details: describe(to),
          }, origin),
          // A link that was made for a plain user may come from a stolen token.
          ...(isAdmin === true
            ? [endLinks(sql`user_id = (SELECT id FROM users WHERE ${changed})`, origin)]
            : []),
          // A link is a right of its maker that is used later, so it ends with this right.
          ...(isAdmin === false || isDisabled === true
            ? [endLinks(sql`maker_id = (SELECT id FROM users WHERE ${changed})`, origin)]
            : []),
          sql`UPDATE users SET username = coalesce(${username}, username),
            username_key = coalesce(${key}, username_key), email = coalesce(${email}, email),
            is_admin = coalesce(${admin}, is_admin), disabled = coalesce(${disabled}, disabled),
            version = version + 1
            WHERE ${changed}`,
        ],
        readBack: representUser(renamed(address, to.username)),
        toResult: toUserRepresentation,
      });
    },

    /** Sets a new password, and revokes every token of the user except a spared one. */
    setPassword(
      address: UserAddress, password: NewPassword, origin: Origin, expected: ExpectedVersion = 'any',
    ) {
      const { passwordHash, checkedVersion, sparedTokenId } = password;
      const target = targetAt('users', address);
      return changeIf(database, {
        target,
        guards: [
          ...maySetPassword(origin),
          ...(checkedVersion === undefined
            ? []
            : [guard('wrongPassword', sql`users.password_version = ${checkedVersion}`)]),
          ...hasVersion('users', expected),
        ],
        writes: [
          toAuditStatement({ action: 'user.password', table: 'users', rows: allowed(target) }, origin),
          revokeTokens(target, origin, sparedTokenId),
          sql`UPDATE users SET password_hash = ${passwordHash}, password_version = password_version + 1,
            version = version + 1 WHERE ${allowed(target)}`,
        ],
        toResult: () => undefined,
      });
    },

    /** Tells, before the costly hash, whether the caller may set the password. */
    findObstacle(address: UserAddress, origin: Origin) {
      return findRefusal(database, maySetPassword(origin), targetAt('users', address));
    },
  };
}

const toColumn = (flag: boolean | undefined) => flag === undefined ? null : Number(flag);

export type UserChanges = ReturnType<typeof createUserChanges>;

/** The user exists, and the caller may change it. */
export function mayChangeUser(origin: Origin) {
  return [
    ...isSignedIn(origin),
    exists('noSuchUser', origin, raw('users.id')),
    ...mayChange('ownAccountOnly', origin, raw('users.id')),
  ];
}

function maySetPassword(origin: Origin) {
  return [
    ...mayChangeUser(origin),
    ...needsPassword(origin, sql`users.is_admin = 0 OR users.id = ${origin.user?.id ?? null}`),
  ];
}

/** @param isEnough - The changes for which a token is enough. */
export function needsPassword({ signIn }: Origin, isEnough: Statement) {
  return signIn === 'token' ? [guard('passwordNeeded', isEnough)] : [];
}

/** Describes the changes for the audit trail, without the email address: the trail outlives the account. */
function describe({ username, email, isAdmin, isDisabled }: UserPatch): Statement {
  const flag = (column: string, value: boolean | undefined) =>
    sql`iif(${raw(column)} <> ${toColumn(value)}, ${`${column}=${value}`}, NULL)`;
  return sql`concat_ws(', ',
    iif(users.username <> ${username ?? null}, ${`username=${toCutName(username ?? '')}`}, NULL),
    iif(email <> ${email ?? null}, 'email', NULL),
    ${flag('is_admin', isAdmin)}, ${flag('disabled', isDisabled)})`;
}
