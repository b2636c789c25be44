/** Writes the audit trail, and removes old events. */
import { integerOf, raw, sql, type Database, type Statement } from '../database/database.ts';
import type { AuditAction, Origin, SignInFailures } from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';
import { allowed, type Target } from './guards.ts';

/** By table: the type of a resource, and expressions for its id and its name. */
const RESOURCES = {
  users: { type: 'user', idAndName: raw(`users.id, ${cut('users.username')}`) },
  projects: { type: 'project', idAndName: raw(`projects.id, ${cut('projects.name')}`) },
  tokens: { type: 'token', idAndName: raw(`tokens.id, ${cut('tokens.name')}`) },
};

/** The longest id of a request in an event: a proxy may pass on longer ids of its clients. */
const REQUEST_ID_LENGTH_MAX = 64;

/**
 * An expression that cuts a name of more than 64 characters or 72 bytes, and ends a cut name with `…`. So the
 * events of one user, at most `MAX_CHANGES_PER_USER` an hour, take less than 250 MB a day.
 *
 * The last character of the first 70 bytes may be incomplete, so the cut leaves it out. The mark `…` has 3
 * bytes. It is written as `char(8230)`, because the character itself doubles the memory of a statement.
 */
function cut(name: string): string {
  return `(SELECT iif(length(name) <= 64 AND octet_length(name) <= 72, name,
      substr(start, 1, min(63, length(start) - 1)) || char(8230))
    FROM (SELECT name, CAST(substr(CAST(name AS BLOB), 1, 70) AS TEXT) AS start
      FROM (SELECT ${name} AS name)))`;
}

/** Cuts a name that stands in the details of an event. */
export const toCut = (name: string | null): Statement => ({ sql: cut('?'), parameters: [name] });

/**
 * Records one event for each row of a target. The statement is in the batch of the change: before rows are
 * changed or deleted, or after rows are inserted. So there is no change without its event, and no event
 * without its change.
 *
 * @param details - Words, or an expression on the row.
 */
export function toAuditStatement(
  action: AuditAction, target: Target, origin: Origin, details: string | Statement = '',
): Statement {
  const { type, idAndName } = RESOURCES[target.table];
  const from = sql`FROM ${raw(target.table)} WHERE ${allowed(target)}`;
  return insertEvents(action, type, sql`${idAndName}, ${details}`, origin, from);
}

/** @param resource - Expressions for the id and the name of the resource, and for the details. */
function insertEvents(
  action: AuditAction, type: string, resource: Statement, origin: Origin, from: Statement,
): Statement {
  const { at, user, signIn, tokenId = null, requestId, address } = origin;
  return {
    sql: `INSERT INTO audit_events (resource_id, resource_name, details, action, resource_type, occurred_at,
        user_id, username, sign_in, token_id, request_id, address)
      SELECT ${resource.sql}, ?, ?, ?, ?, ${cut('?')}, ?, ?, ?, ? ${from.sql}`,
    parameters: [
      ...resource.parameters, action, type, at, user?.id ?? null, user?.username ?? null, signIn, tokenId,
      requestId.slice(0, REQUEST_ID_LENGTH_MAX), address, ...from.parameters,
    ],
  };
}

export function createAuditStore(database: Database) {
  return {
    /** Records failed sign-ins, one event for each user and network. */
    async insertFailures(failures: readonly SignInFailures[], at: Timestamp): Promise<void> {
      await database.write(failures.map(({ user, network: address, count }) => {
        const [type, names] = [user ? 'user' : 'service', address === '' ? 'others' : 'unknown'];
        const details = user ? `count=${count}` : `count=${count}, username=${names}`;
        const resource = sql`${user?.id ?? null}, ${user?.username ?? ''}, ${details}`;
        const origin = { at, user: undefined, signIn: 'none', requestId: '', address } as const;
        return insertEvents('sign_in.failures', type, resource, origin, raw(''));
      }));
    },

    /**
     * Removes events before a moment, the earliest first, and records their number. A removal that finds only
     * events of earlier removals is not recorded: otherwise the trail of an idle service would never become
     * empty.
     *
     * @returns The number of events found, at most `countMax`. The events are found before the transaction
     *   that deletes them, because events never change. Each process records only the events that it deletes
     *   itself.
     */
    async removeBefore(before: Timestamp, countMax: number, origin: Origin): Promise<number> {
      const rows = await database.read(sql`SELECT id, action FROM audit_events
        WHERE occurred_at < ${before} ORDER BY occurred_at LIMIT ${countMax}`);
      if (rows.length > 0) {
        const ids = JSON.stringify(rows.map((row) => integerOf(row, 'id')));
        const removal = sql`NULL, '', 'count=' || changes() || ' before=' || ${before}`; // deleted rows
        const isWorthAnEvent = rows.some(({ action }) => action !== 'audit.delete');
        await database.write([
          sql`INSERT INTO audit_removal (before) VALUES (${before})`,
          sql`DELETE FROM audit_events WHERE id IN (SELECT value FROM json_each(${ids}))`,
          ...(isWorthAnEvent
            ? [insertEvents('audit.delete', 'service', removal, origin, raw('WHERE changes() > 0'))]
            : []),
          raw('DELETE FROM audit_removal'),
        ]);
      }
      return rows.length;
    },
  };
}

export type AuditStore = ReturnType<typeof createAuditStore>;
