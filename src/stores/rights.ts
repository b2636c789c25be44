/**
 * The right to make a change, as a condition of the statement that makes it. A request may wait between the
 * sign-in and the change, for a password hash or for a cluster; meanwhile the caller may be disabled, demoted
 * or deleted, their password changed or their token revoked. Then the statement changes nothing.
 */
import type { Database, Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { UserId } from '../model/user.ts';
import { integer } from './columns.ts';

/** A right that the caller had at the sign-in and has lost since. */
export type LostRight = { readonly kind: 'credentials-revoked' } | { readonly kind: 'role-lost' };

/** A part of a statement, with the values of its `?` in order. */
type Condition = Statement;

/**
 * @param ownerId - The user who owns the record and may change it, as administrators may; `undefined` where
 *   only administrators may. Other conditions of the statement must make sure that this is still the owner.
 */
export function hasRight(origin: Origin, ownerId: UserId | undefined): Condition {
  if (origin.signIn === 'program') {
    return { sql: 'TRUE', parameters: [] };
  }
  const { sql, parameters } = isSignedIn(origin);
  const role = isOwner(origin, ownerId) ? '' : ' AND caller.is_admin = 1';
  return { sql: `EXISTS (SELECT 1 FROM users AS caller WHERE ${sql}${role})`, parameters };
}

/** To be asked after a statement with that condition has changed nothing. */
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

/** The caller exists, is not disabled, and what they signed in with is still valid. */
function isSignedIn({ user, tokenId, passwordVersion, at }: Origin): Condition {
  const account = 'caller.id = ? AND caller.disabled = 0';
  if (tokenId === undefined) {
    return {
      sql: `${account} AND caller.password_version = ?`,
      parameters: [user?.id ?? null, passwordVersion ?? null], // NULL equals nothing
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
