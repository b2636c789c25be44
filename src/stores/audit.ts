/** Writes the audit trail, and removes old events. */
import { integerOf, textOf, type Database, type SqlValue, type Statement } from '../database/database.ts';
import type { AuditAction, Origin, Resource, SignInFailures } from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';

/** A change to record. */
export interface AuditedChange {
  readonly action: AuditAction;
  /** The changed resource. Without an id, it is the row that the previous statement inserted. */
  readonly resource: Omit<Resource, 'id'> & { readonly id?: number };
  readonly details?: string;
}

const ORIGIN_COLUMNS = 'occurred_at, user_id, username, sign_in, token_id, request_id, address';
const EVENT_COLUMNS = `action, resource_type, resource_name, details, ${ORIGIN_COLUMNS}`;

const INSERT_EVENT = `INSERT INTO audit_events (resource_id, ${EVENT_COLUMNS})`;
const VALUES = 'coalesce(?, last_insert_rowid()), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?';
const INSERT_CHANGE = {
  sql: `${INSERT_EVENT} SELECT ${VALUES} WHERE changes() > 0`,
  sqlAfterChange: `${INSERT_EVENT} VALUES (${VALUES})`,
};

/** The longest name, or id of a request, in an event, in characters. */
const TEXT_LENGTH_MAX = 64;

/**
 * The longest name in an event, in bytes of UTF-8. With this bound the events of one user, at most
 * `MAX_CHANGES_PER_USER`, take less than 250 MB a day.
 */
const TEXT_BYTES_MAX = 72;

/** Cuts a long name off, and marks the cut by `…`, because an event keeps the name for ever. */
export function toCutName(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= TEXT_LENGTH_MAX && Buffer.byteLength(name) <= TEXT_BYTES_MAX) {
    return name;
  }
  let [kept, bytes] = ['', Buffer.byteLength('…')];
  for (const character of characters.slice(0, TEXT_LENGTH_MAX - 1)) {
    bytes += Buffer.byteLength(character);
    if (bytes > TEXT_BYTES_MAX) {
      break;
    }
    kept += character;
  }
  return `${kept}…`;
}

/** The same in SQL, without the bound in bytes: only the deletion of a user needs it. */
const CUT_PROJECT_NAME = `
  iif(length(projects.name) <= ${TEXT_LENGTH_MAX}, projects.name,
    substr(projects.name, 1, ${TEXT_LENGTH_MAX - 1}) || '…')`;

/**
 * Records the change that the previous statement of the batch makes. It records nothing if that statement
 * changed no row (`changes()` counts the rows of the latest statement). So each change has exactly one event,
 * and no event stands for a change that did not happen.
 */
export function toAuditStatement(
  { action, resource, details = '' }: AuditedChange, origin: Origin,
): Statement {
  return {
    ...INSERT_CHANGE,
    parameters: [
      resource.id ?? null, action, resource.type, toCutName(resource.name), details,
      ...toOriginParameters(origin),
    ],
  };
}

/**
 * Records the effect of the next statement of the batch on several projects, with one event for each project.
 *
 * @param condition - The condition of the next statement, on `projects`.
 */
export function toProjectsAuditStatement(
  { action, details, condition }: {
    readonly action: AuditAction; readonly details: string; readonly condition: Statement;
  },
  origin: Origin,
): Statement {
  return {
    sql: `
      INSERT INTO audit_events (resource_id, ${EVENT_COLUMNS})
      SELECT projects.id, ?, 'project', ${CUT_PROJECT_NAME}, ?, ?, ?, ?, ?, ?, ?, ? FROM projects
      WHERE ${condition.sql}`,
    parameters: [action, details, ...toOriginParameters(origin), ...condition.parameters],
  };
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
  const resource = user === undefined ? ['service', null, ''] : ['user', user.id, user.username];
  const names = network === '' ? 'others' : 'unknown';
  const details = `count=${count}${user === undefined ? `, username=${names}` : ''}`;
  return {
    sql: `
      INSERT INTO audit_events (action, resource_type, resource_id, resource_name, details, ${ORIGIN_COLUMNS})
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    parameters: ['sign_in.failures', ...resource, details, ...toOriginParameters(origin)],
  };
}

export type AuditStore = ReturnType<typeof createAuditStore>;

/** Records how many rows the previous statement deleted; records nothing if it deleted none. */
function toRemovalEvent(before: Timestamp, origin: Origin): Statement {
  return {
    sql: `
      INSERT INTO audit_events (${EVENT_COLUMNS})
      SELECT 'audit.delete', 'service', '', 'count=' || changes() || ' before=' || ?, ?, ?, ?, ?, ?, ?, ?
      WHERE changes() > 0`,
    parameters: [before, ...toOriginParameters(origin)],
  };
}

function toOriginParameters({ at, user, signIn, tokenId, requestId, address }: Origin): readonly SqlValue[] {
  const name = user === undefined ? null : toCutName(user.username);
  const request = requestId.slice(0, TEXT_LENGTH_MAX); // a proxy may pass on longer ids of its clients
  return [at, user?.id ?? null, name, signIn, tokenId ?? null, request, address];
}
