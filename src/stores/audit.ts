/** Writes and reads the audit trail. */
import {
  integer, integerOrNone, text, textOrNone, type Database, type Row, type SqlValue, type Statement,
} from '../database/database.ts';
import type {
  AuditAction, AuditEvent, AuditFilter, Origin, Resource, SignInFailures,
} from '../model/audit.ts';
import type { Timestamp } from '../model/clock.ts';
import { toNameKey } from '../model/name.ts';
import { BY_ID, type Page, type PageRequest, type SortOrder } from '../model/page.ts';
import type { TokenId } from '../model/token.ts';
import type { UserId } from '../model/user.ts';
import { toWindow } from './paging.ts';
import { countUpTo, encodeTotal, ENTRIES_COUNTED_MAX, ROWS_COUNTED_MAX, toPage } from './totals.ts';

/** A change to record. */
interface Change {
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

/** The longest name in an event, in characters. */
const NAME_LENGTH_MAX = 64;

/**
 * The longest name in an event, in bytes of UTF-8. With this bound the events of one user, at most
 * `MAX_CHANGES_PER_USER`, take less than 250 MB a day.
 */
const NAME_BYTES_MAX = 80;

/** Cuts a long name off, and marks the cut by `…`, because an event keeps the name for ever. */
export function toCutName(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= NAME_LENGTH_MAX && Buffer.byteLength(name) <= NAME_BYTES_MAX) {
    return name;
  }
  let [kept, bytes] = ['', Buffer.byteLength('…')];
  for (const character of characters.slice(0, NAME_LENGTH_MAX - 1)) {
    bytes += Buffer.byteLength(character);
    if (bytes > NAME_BYTES_MAX) {
      break;
    }
    kept += character;
  }
  return `${kept}…`;
}

/** The same in SQL, without the bound in bytes: only the deletion of a user needs it. */
const CUT_PROJECT_NAME = `
  iif(length(projects.name) <= ${NAME_LENGTH_MAX}, projects.name,
    substr(projects.name, 1, ${NAME_LENGTH_MAX - 1}) || '…')`;

/**
 * Records the change that the previous statement of the batch makes. It records nothing if that statement
 * changed no row (`changes()` counts the rows of the latest statement). So each change has exactly one event,
 * and no event stands for a change that did not happen.
 */
export function toAuditStatement({ action, resource, details = '' }: Change, origin: Origin): Statement {
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

/** Selects the events of a list, in order of time unless `sort` says otherwise. */
interface AuditQuery {
  readonly filter: AuditFilter;
  readonly page: PageRequest;
  readonly sort?: SortOrder<'id'>;
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
        const ids = JSON.stringify(rows.map((row) => integer(row, 'id')));
        const isWorthAnEvent = rows.some((row) => text(row, 'action') !== 'audit.delete');
        await database.write([
          { sql: 'INSERT INTO audit_removal (before) VALUES (?)', parameters: [before] },
          { sql: 'DELETE FROM audit_events WHERE id IN (SELECT value FROM json_each(?))', parameters: [ids] },
          ...(isWorthAnEvent ? [toRemovalEvent(before, origin)] : []),
          { sql: 'DELETE FROM audit_removal', parameters: [] },
        ]);
      }
      return rows.length;
    },

    async list({ filter, page, sort = BY_ID }: AuditQuery): Promise<Page<AuditEvent>> {
      const conditions = toConditions(filter, `${FROM_FIRST_SINCE} AND occurred_at >= ?`);
      const { limit, offset } = toWindow(page);
      const rows = await database.read({
        sql: `
          SELECT id, resource_id, ${EVENT_COLUMNS} FROM audit_events
          WHERE ${['TRUE', ...conditions.map(({ sql }) => sql)].join(' AND ')}
          ORDER BY id ${sort.isDescending ? 'DESC' : 'ASC'} LIMIT ? OFFSET ?`,
        parameters: [...conditions.flatMap(({ parameters }) => parameters), limit, offset],
      });
      return toPage(database, rows.map(toAuditEvent), page, countEvents(filter));
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

/** Adds up the failed sign-ins that `toFailuresStatement` has recorded, from the newest event on. */
export function countFailedSignIns(since: Timestamp): Statement {
  const isComplete = `count(*) <= ${ROWS_COUNTED_MAX} OR max(is_earlier)`;
  return {
    sql: `
      SELECT ${encodeTotal('coalesce(sum(attempts), 0)', isComplete)} AS total FROM (
        SELECT occurred_at < ? AS is_earlier,
          iif(occurred_at < ?, 0, CAST(substr(details, 7) AS INTEGER)) AS attempts
        FROM audit_events
        WHERE action = 'sign_in.failures' ORDER BY id DESC LIMIT ${ROWS_COUNTED_MAX + 1}
      )`,
    parameters: [since, since],
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

/** Skips older events without reading them, because ids follow time (except where clocks differ). */
const FROM_FIRST_SINCE =
  'id >= (SELECT min(id) FROM audit_events INDEXED BY audit_events_by_time WHERE occurred_at >= ?)';

/**
 * Selects changes by and to everybody who has or had the name, under whatever name: nobody can hide an act
 * behind a name of the moment.
 */
const BY_OR_ABOUT_USER = `
  (user_id IN (SELECT user_id FROM user_names WHERE username_key = ?)
    OR (resource_type = 'user' AND resource_id IN (SELECT user_id FROM user_names WHERE username_key = ?)))`;

/** @param isSince - The condition on the moment `since`, which is the value of each parameter in it. */
function toConditions({ action, username, since }: AuditFilter, isSince: string): readonly Statement[] {
  const key = username === undefined ? undefined : toNameKey(username);
  return [
    ...(key === undefined ? [] : [{ sql: BY_OR_ABOUT_USER, parameters: [key, key] }]),
    ...(action === undefined ? [] : [{ sql: 'action = ?', parameters: [action] }]),
    ...(since === undefined
      ? []
      : [{ sql: isSince, parameters: Array(isSince.split('?').length - 1).fill(since) }]),
  ];
}

/**
 * Counts events up to a bound. The first condition finds candidates in an index, and the other conditions
 * filter the candidates. So no combination of filters reads more events than the bound.
 */
function countEvents(filter: AuditFilter): Statement {
  const [narrowest = { sql: 'TRUE', parameters: [] }, ...others] = toConditions(filter, 'occurred_at >= ?');
  const columns = others.length === 0 ? '1' : 'occurred_at, action, resource_type, resource_id';
  const isInIndex = others.length === 0 && filter.username === undefined;
  return countUpTo(
    isInIndex ? ENTRIES_COUNTED_MAX : ROWS_COUNTED_MAX,
    { sql: `SELECT ${columns} FROM audit_events WHERE ${narrowest.sql}`, parameters: narrowest.parameters },
    {
      sql: ['1', ...others.map(({ sql }) => sql)].join(' AND '),
      parameters: others.flatMap(({ parameters }) => parameters),
    },
  );
}

function toOriginParameters({ at, user, signIn, tokenId, requestId, address }: Origin): readonly SqlValue[] {
  const name = user === undefined ? null : toCutName(user.username);
  return [at, user?.id ?? null, name, signIn, tokenId ?? null, requestId, address];
}

function toAuditEvent(row: Row): AuditEvent {
  const userId = integerOrNone(row, 'user_id');
  return {
    id: integer(row, 'id'),
    action: text(row, 'action') as AuditAction,
    resource: {
      type: text(row, 'resource_type') as Resource['type'],
      id: integerOrNone(row, 'resource_id'),
      name: text(row, 'resource_name'),
    },
    details: text(row, 'details'),
    origin: {
      at: text(row, 'occurred_at') as Timestamp,
      user: userId === undefined
        ? undefined
        : { id: userId as UserId, username: textOrNone(row, 'username') ?? '' },
      signIn: text(row, 'sign_in') as Origin['signIn'],
      tokenId: integerOrNone(row, 'token_id') as TokenId | undefined,
      requestId: text(row, 'request_id'),
      address: text(row, 'address'),
    },
  };
}
