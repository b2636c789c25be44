/**
 * Checks the right to make a change by a condition of the statement that makes the change. A request may wait
 * between the sign-in and the change, for a password hash or for a cluster. Meanwhile the caller may lose the
 * role or the account, or their password or token may become invalid. Then the statement changes nothing.
 */
import { integer, type Database, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { UserId } from '../model/user.ts';

/** A right that the caller had at the sign-in and has lost since. */
export type LostRight = { readonly kind: 'credentials-revoked' } | { readonly kind: 'role-lost' };

/** A part of a statement, with the values of its `?` in order. */
type Condition = Statement;

/**
 * @param ownerId - The owner of the record, who may change it like an administrator; `undefined` if only
 *   administrators may. Other conditions of the statement must ensure that this user is still the owner.
 */
export function hasRight(origin: Origin, ownerId: UserId | undefined): Condition {
  if (origin.signIn === 'program') {
    return { sql: 'TRUE', parameters: [] };
  }
  const { sql, parameters } = isSignedIn(origin);
  const role = isOwner(origin, ownerId) ? '' : ' AND caller.is_admin = 1';
  return { sql: `EXISTS (SELECT 1 FROM users AS caller WHERE ${sql}${role})`, parameters };
}

/** Call this after a statement with the condition `hasRight` has changed nothing. */
export async function findLostRight(
  database: Database,
  origin: Origin,
  ownerId: UserId | undefined,
): Promise<LostRight | undefined> {
  if (origin.signIn === 'program') {
    return undefined;
  }
  const { sql, parameters } = isSignedIn(origin);
  const [caller] = await database.read({
    sql: `SELECT is_admin FROM users AS caller WHERE ${sql}`, parameters,
  });
  if (caller === undefined) {
    return { kind: 'credentials-revoked' };
  }
  return integer(caller, 'is_admin') === 1 || isOwner(origin, ownerId) ? undefined : { kind: 'role-lost' };
}

/** The caller exists and is not disabled, and the password or token of the sign-in is still valid. */
function isSignedIn({ user, tokenId, passwordVersion, at }: Origin): Condition {
  const account = 'caller.id = ? AND caller.disabled = 0';
  if (tokenId === undefined) {
    return {
      sql: `${account} AND caller.password_version = ?`,
      parameters: [user?.id ?? null, passwordVersion ?? null], // in SQL, NULL equals nothing
    };
  }
  return {
    sql: `${account} AND EXISTS (
      SELECT 1 FROM tokens AS shown
      WHERE shown.id = ? AND shown.user_id = caller.id
        AND shown.revoked_at IS NULL AND shown.expires_at > ?)`,
    parameters: [user?.id ?? null, tokenId, at],
  };
}

function isOwner({ user }: Origin, ownerId: UserId | undefined): boolean {
  return user !== undefined && user.id === ownerId;
}
