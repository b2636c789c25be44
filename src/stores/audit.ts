/** Writes the audit trail: one event for each change, in the same batch as the change. */
import { raw, sql, type Statement } from '../database/database.ts';
import type { AuditAction, Origin } from '../model/audit.ts';
import { ifAllowed, type Target } from './guards.ts';

/**
 * Cuts a name of more than 64 characters or 72 bytes, and marks the cut with `…`. Without the cut, a user
 * could cause more than 250 MB of events a day within the limit `MAX_CHANGES_PER_USER`. A cut at byte 70 can
 * split a character, so the last character is left out. The SQL contains `char(8230)` in place of `…`,
 * because a `…` would double the memory of the SQL.
 */
function cut(name: string): string {
  return `(SELECT iif(length(name) <= 64 AND octet_length(name) <= 72, name,
      substr(start, 1, min(63, length(start) - 1)) || char(8230))
    FROM (SELECT name, CAST(substr(CAST(name AS BLOB), 1, 70) AS TEXT) AS start
      FROM (SELECT ${name} AS name)))`;
}

const CUT_VALUE = cut('+?');

export const toCut = (name: string | null): Statement => ({ sql: CUT_VALUE, parameters: [name] });

const RESOURCES = {
  users: raw(`users.id, ${cut('users.username')}`),
  projects: raw(`projects.id, ${cut('projects.name')}`),
  tokens: raw(`tokens.id, ${cut('tokens.name')}`),
};

/**
 * Records one event for each row of the target. The batch of every change must contain this statement,
 * before an UPDATE or DELETE, and after an INSERT.
 */
export function toAuditStatement(
  action: AuditAction, target: Target, origin: Origin, details: string | Statement = '',
): Statement {
  const { table } = target;
  const type = table.slice(0, -1); // for example, `user` for the table `users`
  const from = sql`FROM ${raw(table)} WHERE ${ifAllowed(target)}`;
  return insertEvents(action, type, sql`${RESOURCES[table]}, ${details}`, origin, from);
}

/** @param resource - SQL for the id, the name and the details. This SQL can use columns of `from`. */
export function insertEvents(
  action: AuditAction, type: string, resource: Statement, origin: Origin, from = raw(''),
): Statement {
  const { at, user, signIn, tokenId = null, requestId, address } = origin;
  return sql`INSERT INTO audit_events (resource_id, resource_name, details, action, resource_type,
      occurred_at, user_id, username, sign_in, token_id, request_id, address)
    SELECT ${resource}, ${action}, ${type}, ${at}, ${user?.id ?? null}, ${toCut(user?.username ?? null)},
      ${signIn}, ${tokenId}, ${requestId.slice(0, 64)}, ${address} ${from}`;
}
