/** Writes the audit trail, and removes old events. */
import { integerOf, raw, sql, textOf, type Database, type Statement } from '../database/database.ts';
import type { AuditAction, Origin, SignInFailures } from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';

/** The rows that a batch changes, and the action. */
interface AuditedRows {
  readonly action: AuditAction;
  readonly table: 'users' | 'projects' | 'tokens';
  /** Selects the rows; of a guarded change, also with `ALLOWED`. */
  readonly rows: Statement;
  /** Words, or an expression on the row. */
  readonly details?: string | Statement;
}

const ORIGIN_COLUMNS = raw('occurred_at, user_id, username, sign_in, token_id, request_id, address');

/** The longest name, or id of a request, in an event, in characters. */
const TEXT_LENGTH_MAX = 64;

/**
 * The longest name in an event, in bytes of UTF-8. With this bound the events of one user, at most
 * `MAX_CHANGES_PER_USER`, take less than 250 MB a day.
 */
const TEXT_BYTES_MAX = 72;

/** The characters that are kept of a long name: as many as fit, if each takes 1, 2, 3 or 4 bytes. */
const KEPT_LENGTHS = [63, 34, 23, 17];
const KEPT_BYTES_MAX = TEXT_BYTES_MAX - Buffer.byteLength('…');

/** Cuts a long name off, and marks the cut by `…`, because an event keeps the name for ever. */
export function toCutName(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= TEXT_LENGTH_MAX && Buffer.byteLength(name) <= TEXT_BYTES_MAX) {
    return name;
  }
  const kept = KEPT_LENGTHS.map((length) => characters.slice(0, length).join(''));
  return `${kept.find((text) => Buffer.byteLength(text) <= KEPT_BYTES_MAX) ?? ''}…`;
}

/** The same in SQL, of a column. */
const toCut = (name: string): Statement => raw(`CASE
  WHEN length(${name}) <= ${TEXT_LENGTH_MAX} AND octet_length(${name}) <= ${TEXT_BYTES_MAX} THEN ${name}
  ${KEPT_LENGTHS.map((length) => `substr(${name}, 1, ${length})`)
    .map((kept) => `WHEN octet_length(${kept}) <= ${KEPT_BYTES_MAX} THEN ${kept} || '…'`).join(' ')} END`);

const RESOURCES = {
  users: { type: 'user', name: toCut('users.username') },
  projects: { type: 'project', name: toCut('projects.name') },
  tokens: { type: 'token', name: toCut('tokens.name') },
} as const;

/**
 * Records one event for each row, from the row itself: in the batch of the change, before rows are changed or
 * deleted, or after they are inserted. So there is no change without its event, and no event without its
 * change.
 */
export function toAuditStatement(
  { action, table, rows, details = '' }: AuditedRows, origin: Origin,
): Statement {
  const { type, name } = RESOURCES[table];
  return sql`
    INSERT INTO audit_events (resource_id, action, resource_type, resource_name, details, ${ORIGIN_COLUMNS})
    SELECT ${raw(table)}.id, ${action}, ${type}, ${name}, ${details}, ${toOriginValues(origin)}
    FROM ${raw(table)} WHERE ${rows}`;
}

export function createAuditStore(database: Database) {
  return {
    /** Records failed sign-ins, one event for each user and network. */
    async insertFailures(failures: readonly SignInFailures[], at: Timestamp): Promise<void> {
      await database.write(failures.map((group) => toFailuresStatement(group, at)));
    },

    /**
     * Removes events before a moment, the earliest first, and records their number. A removal that finds only
     * events of earlier removals is not recorded, or the trail of an idle service would never become empty.
     *
     * @returns The number of events found, at most `countMax`. Events never change, so they may be found
     *   before the deletion. If another process deletes some first, only that process records them.
     */
    async removeBefore(before: Timestamp, countMax: number, origin: Origin): Promise<number> {
      const rows = await database.read({
        sql: 'SELECT id, action FROM audit_events WHERE occurred_at < ? ORDER BY occurred_at LIMIT ?',
        parameters: [before, countMax],
      });
      if (rows.length > 0) {
        const ids = JSON.stringify(rows.map((row) => integerOf(row, 'id')));
        const isWorthAnEvent = rows.some((row) => textOf(row, 'action') !== 'audit.delete');
        await database.write([
          { sql: 'INSERT INTO audit_removal (before) VALUES (?)', parameters: [before] },
          { sql: 'DELETE FROM audit_events WHERE id IN (SELECT value FROM json_each(?))', parameters: [ids] },
          ...(isWorthAnEvent ? [toRemovalEvent(before, origin)] : []),
          { sql: 'DELETE FROM audit_removal', parameters: [] },
        ]);
      }
      return rows.length;
    },
  };
}

function toFailuresStatement({ user, network, count }: SignInFailures, at: Timestamp): Statement {
  const origin: Origin = {
    at, user: undefined, signIn: 'none', tokenId: undefined, requestId: '', address: network,
  };
  const names = network === '' ? 'others' : 'unknown';
  const details = `count=${count}${user === undefined ? `, username=${names}` : ''}`;
  return sql`
    INSERT INTO audit_events (action, resource_type, resource_id, resource_name, details, ${ORIGIN_COLUMNS})
    VALUES ('sign_in.failures', ${user === undefined ? 'service' : 'user'}, ${user?.id ?? null},
      ${user?.username ?? ''}, ${details}, ${toOriginValues(origin)})`;
}

export type AuditStore = ReturnType<typeof createAuditStore>;

/** Records how many rows the previous statement deleted; records nothing if it deleted none. */
function toRemovalEvent(before: Timestamp, origin: Origin): Statement {
  return sql`
    INSERT INTO audit_events (action, resource_type, resource_name, details, ${ORIGIN_COLUMNS})
    SELECT 'audit.delete', 'service', '', 'count=' || changes() || ' before=' || ${before},
      ${toOriginValues(origin)}
    WHERE changes() > 0`;
}

function toOriginValues({ at, user, signIn, tokenId, requestId, address }: Origin): Statement {
  const name = user === undefined ? null : toCutName(user.username);
  const request = requestId.slice(0, TEXT_LENGTH_MAX); // a proxy may pass on longer ids of its clients
  return sql`${at}, ${user?.id ?? null}, ${name}, ${signIn}, ${tokenId ?? null}, ${request}, ${address}`;
}
