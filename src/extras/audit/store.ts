/** Reads the audit trail, which `stores/audit.ts` writes. */
import type { Database, SqlValue } from '../../database/database.ts';
import type { AuditAction } from '../../model/audit.ts';
import type { Timestamp } from '../../model/clock.ts';
import { toNameKey } from '../../model/name.ts';
import { BY_ID, type JsonPage, type PageRequest, type SortOrder } from '../../model/page.ts';
import { listJson } from '../../stores/list.ts';
import { toOpenObject, type Members } from '../../stores/representations.ts';

/** Selects the events of a list. A part that is `undefined` excludes no event. */
interface AuditFilter {
  readonly action: AuditAction | undefined;
  /** The username of the user who made the change, or whose record was changed. */
  readonly username: string | undefined;
  /** The earliest moment. */
  readonly since: Timestamp | undefined;
}

/** Selects the events of a list, in order of time unless `sort` says otherwise. */
interface AuditQuery {
  readonly filter: AuditFilter;
  readonly page: PageRequest;
  readonly sort?: SortOrder<'id'>;
}

/** The members of an event. */
const AUDIT_EVENT = {
  id: { column: 'id', kind: 'integer' },
  date_created: { column: 'occurred_at', kind: 'text' },
  action: { column: 'action', kind: 'text' },
  resource: {
    column: "json_object('type', resource_type, 'id', resource_id, 'name', resource_name)", kind: 'json',
  },
  details: { column: 'details', kind: 'text' },
  user: {
    column: "iif(user_id IS NULL, 'null', json_object('id', user_id, 'username', username))", kind: 'json',
  },
  sign_in: { column: 'sign_in', kind: 'text' },
  token_id: { column: 'token_id', kind: 'text' },
  request_id: { column: 'request_id', kind: 'text' },
  address: { column: 'address', kind: 'text' },
} as const satisfies Members;

const ITEM = `${toOpenObject(AUDIT_EVENT)} || '}'`;

/**
 * Selects changes by and to everybody who has or had the name, under whatever name: nobody can hide an act
 * behind a name of the moment.
 */
const BY_OR_ABOUT_USER = `
  (user_id IN (SELECT user_id FROM user_names WHERE username_key = ?)
    OR (resource_type = 'user' AND resource_id IN (SELECT user_id FROM user_names WHERE username_key = ?)))`;

/**
 * Ids follow time, except where a clock was set or the clocks of two copies differ. The lowest id since a
 * moment is looked for among this many events: one million would hold the process for 55 ms.
 */
const OUT_OF_ORDER_MAX = 10_000;

export function createAuditReader(database: Database) {
  return {
    async list({ filter, page, sort = BY_ID }: AuditQuery): Promise<JsonPage> {
      const { action, username, since } = filter;
      const key = username === undefined ? undefined : toNameKey(username);
      const narrower = [
        ...(key === undefined ? [] : [{ sql: BY_OR_ABOUT_USER, parameters: [key, key] }]),
        ...(action === undefined ? [] : [{ sql: 'action = ?', parameters: [action] }]),
        ...(since === undefined ? [] : [{ sql: 'occurred_at >= ?', parameters: [since] }]),
      ];
      return listJson(database, {
        table: 'audit_events',
        item: ITEM,
        itemBytesMax: 2_000,
        order: { column: 'id', isDescending: sort.isDescending },
        page,
        conditions: narrower,
        candidates: narrower.map(({ sql, parameters }) => ({
          sql: `SELECT id FROM audit_events WHERE ${sql}`, parameters,
        })),
        source: {
          select: {
            sql: `
              SELECT id, occurred_at, action, resource_type, resource_id, user_id
              FROM audit_events NOT INDEXED WHERE TRUE`,
            parameters: [],
          },
          position: 'id',
          range: since === undefined ? undefined : { from: await findFirstSince(since), before: null },
        },
      });
    },
  };

  /** @returns The lowest id of the events from a moment on; NULL if there is none. */
  async function findFirstSince(since: Timestamp): Promise<SqlValue> {
    const [row] = await database.read({
      sql: `
        SELECT min(id) AS id FROM (
          SELECT id FROM audit_events INDEXED BY audit_events_by_time
          WHERE occurred_at >= ? ORDER BY occurred_at LIMIT ${OUT_OF_ORDER_MAX}
        )`,
      parameters: [since],
    }, 'recent');
    return row?.['id'] ?? null;
  }
}
