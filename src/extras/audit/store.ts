/** Reads the audit trail, which `stores/audit.ts` writes. */
import { sql, type Database } from '../../database/database.ts';
import type { AuditAction } from '../../model/audit.ts';
import type { Timestamp } from '../../model/clock.ts';
import type { UserId } from '../../model/user.ts';
import { listJson, type JsonPage, type ListRequest } from '../../stores/list.ts';
import { text, toObject } from '../../stores/representations.ts';

/** Selects events. A condition with the value `undefined` has no effect. */
interface AuditQuery extends ListRequest {
  readonly action: AuditAction | undefined;
  /** Selects events that name each of these users, as the author of the change or as the changed user. */
  readonly userIds: readonly UserId[];
  readonly since: Timestamp | undefined;
}

const AUDIT_EVENT = {
  id: 'id',
  date_created: text('occurred_at'),
  action: text('action'),
  resource: "json_object('type', resource_type, 'id', resource_id, 'name', resource_name)",
  details: text('details'),
  user: "iif(user_id IS NULL, 'null', json_object('id', user_id, 'username', username))",
  sign_in: text('sign_in'),
  token_id: text('token_id'),
  request_id: text('request_id'),
  address: text('address'),
};

export function listEvents(
  database: Database, { action, userIds, since, ...request }: AuditQuery,
): Promise<JsonPage> {
  const indexed = [
    // Events are found by user ids, which never change and are never reused. A search by username would miss
    // changes that a user made under another name.
    ...userIds.map((id) => sql`(user_id = ${id} OR (resource_type = 'user' AND resource_id = ${id}))`),
    action !== undefined && sql`action = ${action}`,
    since !== undefined && sql`occurred_at >= ${since}`,
  ];
  return listJson(database, {
    ...request, table: 'audit_events', key: 'id', indexed, item: toObject(AUDIT_EVENT),
  });
}
