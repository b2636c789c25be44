/**
 * Checks the right to make a change by a condition of the statement that makes the change. A request may wait
 * between the sign-in and the change, for a password hash or for a cluster. Meanwhile the caller may lose the
 * role or the account, or their password or token may become invalid. Then the statement changes nothing.
 */
import { integer, type Database, type SqlValue, type Statement } from '../database/database.ts';
import type { Origin } from '../model/audit.ts';
import type { UserId } from '../model/user.ts';

/** A right that the caller had at the sign-in and has lost since. */
export type LostRight = { readonly kind: 'credentials-revoked' } | { readonly kind: 'role-lost' };

/**
 * The caller exists and is not disabled, and the password or the token of the sign-in is still valid. One of
 * the two is NULL, which equals nothing.
 */
const IS_SIGNED_IN = `
  caller.id = ? AND caller.disabled = 0 AND (
    caller.password_version = ? OR EXISTS (
      SELECT 1 FROM tokens AS shown
      WHERE shown.id = ? AND shown.user_id = caller.id
        AND shown.revoked_at IS NULL AND shown.expires_at > ?
    )
  )`;

/** The text of `hasRight`. It is the same for all callers, so that frequent statements can be constants. */
export const HAS_RIGHT = `(
  ? OR EXISTS (SELECT 1 FROM users AS caller WHERE ${IS_SIGNED_IN} AND (caller.is_admin = 1 OR caller.id = ?))
)`;

/**
 * Makes a part of a statement, with the values of its `?` in order.
 *
 * @param ownerId - The owner of the record, who may change it like an administrator; `undefined` if only
 *   administrators may. Other conditions of the statement must ensure that this user is still the owner.
 */
export function hasRight(origin: Origin, ownerId: UserId | undefined): Statement {
  const isProgram = Number(origin.signIn === 'program');
  return { sql: HAS_RIGHT, parameters: [isProgram, ...toSignIn(origin), ownerId ?? null] };
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
  const [caller] = await database.read({
    sql: `SELECT is_admin FROM users AS caller WHERE ${IS_SIGNED_IN}`, parameters: toSignIn(origin),
  });
  if (caller === undefined) {
    return { kind: 'credentials-revoked' };
  }
  const isOwner = origin.user !== undefined && origin.user.id === ownerId;
  return integer(caller, 'is_admin') === 1 || isOwner ? undefined : { kind: 'role-lost' };
}

/** The values of IS_SIGNED_IN. */
function toSignIn({ user, tokenId, passwordVersion, at }: Origin): readonly SqlValue[] {
  return [user?.id ?? null, passwordVersion ?? null, tokenId ?? null, at];
}
