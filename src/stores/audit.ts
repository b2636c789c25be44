/** Writes the audit trail, and removes old events. */
import { integerOf, raw, sql, type Database, type Statement } from '../database/database.ts';
import type { AuditAction, Origin, SignInFailures } from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';

/** The rows that a batch changes, and the action. */
interface AuditedRows {
  readonly action: AuditAction;
  readonly table: keyof typeof RESOURCES;
  /** The condition that selects the rows. For a guarded change, it includes `ALLOWED`. */
  readonly rows: Statement;
  /** Words, or an expression on the row. */
  readonly details?: string | Statement;
}

const RESOURCES = {
  users: { type: 'user', name: 'username' },
  projects: { type: 'project', name: 'name' },
  tokens: { type: 'token', name: 'name' },
};

/** The longest name, or id of a request, in an event, in characters. */
const TEXT_LENGTH_MAX = 64;

/** The characters that are kept of a long name: as many as fit, if each takes 1, 2, 3 or 4 bytes. */
const KEPT_TEXTS = [63, 34, 23, 17].map((length) => `substr(name, 1, ${length})`);

/** `char(8230)` is `…`, which would double the memory of each statement with it. */
const CUT_NAME = raw(`CASE
      WHEN length(name) <= ${TEXT_LENGTH_MAX} AND octet_length(name) <= 72 THEN name
      ${KEPT_TEXTS.map((kept) => `WHEN octet_length(${kept}) <= 69 THEN ${kept} || char(8230)`).join(' ')}
    END`);

/**
 * Cuts a long name off, and marks the cut by `…`, because an event keeps the name for ever. With 72 bytes at
 * most, the events of one user, at most `MAX_CHANGES_PER_USER` an hour, take less than 250 MB a day.
 */
export const toCut = (name: string | null | Statement): Statement =>
  sql`(SELECT ${CUT_NAME} FROM (SELECT ${name} AS name))`;

/**
 * Records one event for each row, from the row itself: in the batch of the change, before rows are changed or
 * deleted, or after they are inserted. So there is no change without its event, and no event without its
 * change.
 */
export function toAuditStatement(
  { action, table, rows, details = '' }: AuditedRows, origin: Origin,
): Statement {
  const { type, name } = RESOURCES[table];
  const resource = sql`${type}, ${raw(table)}.id, ${toCut(raw(`${table}.${name}`))}, ${details}`;
  return insertEvents(action, resource, origin, sql`FROM ${raw(table)} WHERE ${rows}`);
}

/** @param resource - Expressions for its type, id and name, and for the details. */
function insertEvents(action: AuditAction, resource: Statement, origin: Origin, from: Statement): Statement {
  const { at, user, signIn, tokenId, requestId, address } = origin;
  const request = requestId.slice(0, TEXT_LENGTH_MAX); // a proxy may pass on longer ids of its clients
  return sql`
    INSERT INTO audit_events (action, resource_type, resource_id, resource_name, details,
      occurred_at, user_id, username, sign_in, token_id, request_id, address)
    SELECT ${action}, ${resource}, ${at}, ${user?.id ?? null}, ${toCut(user?.username ?? null)}, ${signIn},
      ${tokenId ?? null}, ${request}, ${address} ${from}`;
}

export function createAuditStore(database: Database) {
  return {
    /** Records failed sign-ins, one event for each user and network. */
    async insertFailures(failures: readonly SignInFailures[], at: Timestamp): Promise<void> {
      await database.write(failures.map(({ user, network, count }) => {
        const [type, names] = [user ? 'user' : 'service', network === '' ? 'others' : 'unknown'];
        const details = user ? `count=${count}` : `count=${count}, username=${names}`;
        const resource = sql`${type}, ${user?.id ?? null}, ${user?.username ?? ''}, ${details}`;
        const origin = { user: undefined, signIn: 'none', tokenId: undefined, requestId: '' } as const;
        return insertEvents('sign_in.failures', resource, { ...origin, at, address: network }, raw(''));
      }));
    },

    /**
     * Removes events before a moment, the earliest first, and records their number. A removal that finds only
     * events of earlier removals is not recorded, or the trail of an idle service would never become empty.
     *
     * @returns The number of events found, at most `countMax`. Events never change, so they may be found
     *   before the deletion. If another process deletes some first, only that process records them.
     */
    async removeBefore(before: Timestamp, countMax: number, origin: Origin): Promise<number> {
      const rows = await database.read(sql`SELECT id, action FROM audit_events
        WHERE occurred_at < ${before} ORDER BY occurred_at LIMIT ${countMax}`);
      if (rows.length > 0) {
        const ids = JSON.stringify(rows.map((row) => integerOf(row, 'id')));
        const isWorthAnEvent = rows.some(({ action }) => action !== 'audit.delete');
        const resource = sql`'service', NULL, '', 'count=' || changes() || ' before=' || ${before}`;
        await database.write([
          sql`INSERT INTO audit_removal (before) VALUES (${before})`,
          sql`DELETE FROM audit_events WHERE id IN (SELECT value FROM json_each(${ids}))`,
          ...(isWorthAnEvent
            ? [insertEvents('audit.delete', resource, origin, raw('WHERE changes() > 0'))] // of the deletion
            : []),
          raw('DELETE FROM audit_removal'),
        ]);
      }
      return rows.length;
    },
  };
}

export type AuditStore = ReturnType<typeof createAuditStore>;
