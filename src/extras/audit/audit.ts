/** `/api/v1/audit_events`: tells administrators who changed what. `stores/audit.ts` writes the events. */
import { operation } from '../../api/operation.ts';
import { listQuery, toListRequest } from '../../api/parameters.ts';
import { refuse } from '../../api/problems.ts';
import { list } from '../../api/replies.ts';
import { sql, type Database } from '../../database/database.ts';
import { integer, text, wordOf } from '../../jsonschema/schema.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../../model/audit.ts';
import { toTimestamp, type Timestamp } from '../../model/clock.ts';
import { listJson, type ListRequest } from '../../stores/list.ts';
import { text as quote, toObject } from '../../stores/representations.ts';

export function auditOperations(database: Database) {
  return {
    listAuditEvents: operation({
      method: 'GET',
      path: '/api/v1/audit_events',
      access: 'administrator',
      query: {
        action: wordOf(AUDIT_ACTIONS),
        username: text(),
        user_id: integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
        since: text({ format: 'date-time', check: findDateTimeFault }),
        ...listQuery(),
      },
      replies: list('audit_events'),
      refuses: ['noSuchUser'],
      async handle({ users }, { query }) {
        const { action, username: name, user_id: userId, since } = query;
        const named = name === undefined ? undefined : await users.find({ name });
        if (name !== undefined && named === undefined) {
          return refuse('noSuchUser'); // an empty list would claim that a user of this name did nothing
        }
        return listEvents(database, {
          ...toListRequest(query),
          action,
          // If no user ever had the id, the list is empty.
          userIds: [named?.id, userId].filter((id) => id !== undefined),
          since: since === undefined ? undefined : toInstant(since),
        });
      },
    }),
  };
}

/** A date and time, as in 2026-01-31T23:59:59.25+01:00 (RFC 3339 §5.6), but no leap second. */
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.]\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Takes linear time, because the regular expression does not backtrack. */
export function findDateTimeFault(text: string) {
  const [, day] = DATE_TIME.exec(text) ?? [];
  // `Date.parse` can read 30 February as 2 March, so the parsed day is compared with the day in the text.
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(`${day}T`)
    ? undefined
    : { keyword: 'format', message: 'must be a date and time like 2026-01-31T23:59:59Z' };
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Takes a time with an offset, and returns the same time in UTC. A time before `FIRST_MS` becomes `FIRST_MS`.
 * A time after `LAST_MS` becomes `LAST_MS`.
 */
function toInstant(dateTime: string): Timestamp {
  const instantMs = Date.parse(dateTime.toUpperCase());
  return toTimestamp(Math.min(Math.max(instantMs, FIRST_MS), LAST_MS));
}

const AUDIT_EVENT = {
  id: 'id',
  date_created: quote('occurred_at'),
  action: quote('action'),
  resource: "json_object('type', resource_type, 'id', resource_id, 'name', resource_name)",
  details: quote('details'),
  user: "iif(user_id IS NULL, 'null', json_object('id', user_id, 'username', username))",
  sign_in: quote('sign_in'),
  token_id: quote('token_id'),
  request_id: quote('request_id'),
  address: quote('address'),
};

interface AuditQuery extends ListRequest {
  readonly action: AuditAction | undefined;
  /** A selected event names each of these users, as the author or as the changed user. */
  readonly userIds: readonly number[];
  readonly since: Timestamp | undefined;
}

export function listEvents(database: Database, { action, userIds, since, ...request }: AuditQuery) {
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
