/** Reads the audit trail, which `stores/audit.ts` writes. */
import type { Database } from '../../database/database.ts';
import type { AuditAction } from '../../model/audit.ts';
import type { Timestamp } from '../../model/clock.ts';
import { BY_ID, type JsonPage, type PageRequest, type SortOrder } from '../../model/page.ts';
import type { UserId } from '../../model/user.ts';
import { listJson } from '../../stores/list.ts';
import { toObject, type Members } from '../../stores/representations.ts';

/** Selects the events of a list. A part that is `undefined` excludes no event. */
interface AuditQuery {
  readonly action: AuditAction | undefined;
  /** Users who made the change, or whose record was changed: the events concern each of them. */
  readonly userIds: readonly UserId[];
  /** The earliest moment. */
  readonly since: Timestamp | undefined;
  readonly page: PageRequest;
  readonly sort: SortOrder<'id'> | undefined;
}

const RESOURCE = "json_object('type', resource_type, 'id', resource_id, 'name', resource_name)";
const AUTHOR = "iif(user_id IS NULL, 'null', json_object('id', user_id, 'username', username))";

/** The members of an event. */
const AUDIT_EVENT = {
  id: { column: 'id', kind: 'integer' },
  date_created: { column: 'occurred_at', kind: 'text' },
  action: { column: 'action', kind: 'text' },
  resource: { column: RESOURCE, kind: 'json' },
  details: { column: 'details', kind: 'text' },
  user: { column: AUTHOR, kind: 'json' },
  sign_in: { column: 'sign_in', kind: 'text' },
  token_id: { column: 'token_id', kind: 'text' },
  request_id: { column: 'request_id', kind: 'text' },
  address: { column: 'address', kind: 'text' },
} as const satisfies Members;

/** Ids are never reused, so nobody can hide an act behind a name of the moment. */
const BY_OR_ABOUT_USER = "(user_id = ? OR (resource_type = 'user' AND resource_id = ?))";

const EVENTS_IN_ORDER = `
  SELECT id, occurred_at, action, resource_type, resource_id, user_id
  FROM audit_events NOT INDEXED WHERE TRUE`;

export function createAuditReader(database: Database) {
  return {
    async list({ action, userIds, since, page, sort = BY_ID }: AuditQuery): Promise<JsonPage> {
      const conditions = [
        ...userIds.map((id) => ({ sql: BY_OR_ABOUT_USER, parameters: [id, id] })),
        ...(action === undefined ? [] : [{ sql: 'action = ?', parameters: [action] }]),
        ...(since === undefined ? [] : [{ sql: 'occurred_at >= ?', parameters: [since] }]),
      ];
      return listJson(database, {
        table: 'audit_events',
        item: toObject(AUDIT_EVENT),
        itemBytesMax: 2_000,
        order: { column: 'id', isDescending: sort.isDescending },
        page,
        conditions,
        candidates: conditions.map(({ sql, parameters }) => ({
          sql: `SELECT id FROM audit_events WHERE ${sql}`, parameters,
        })),
        source: { select: { sql: EVENTS_IN_ORDER, parameters: [] }, position: 'id' },
      });
    },
  };
}
