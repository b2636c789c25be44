/** `/api/v1/audit_events`: tells administrators which user changed what. */
import { operation } from '../../api/operation.ts';
import { listQuery, toListRequest } from '../../api/parameters.ts';
import { refuse } from '../../api/problems.ts';
import { list } from '../../api/replies.ts';
import type { Database } from '../../database/database.ts';
import { integer, text, wordOf } from '../../jsonschema/schema.ts';
import { AUDIT_ACTIONS } from '../../model/audit.ts';
import { toTimestamp, type Timestamp } from '../../model/clock.ts';
import type { UserId } from '../../model/user.ts';
import { listEvents } from './store.ts';

export function auditOperations(database: Database) {
  return {
    listAuditEvents: operation({
      method: 'GET',
      path: '/api/v1/audit_events',
      access: 'administrator',
      mayTakeLong: true,
      query: {
        action: wordOf(AUDIT_ACTIONS),
        username: text(),
        user_id: integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
        since: text({ format: 'date-time' }),
        ...listQuery(),
      },
      replies: list('audit_events'),
      refuses: ['noSuchUser'],
      async handle({ users }, { query }) {
        const { action, username: name, user_id: userId, since } = query;
        const named = name === undefined ? undefined : await users.find({ name });
        if (name !== undefined && named === undefined) {
          return refuse('noSuchUser'); // an empty list would mean that the user did nothing
        }
        return listEvents(database, {
          ...toListRequest(query),
          action,
          // If no user ever had the id, the list is empty.
          userIds: [named?.id, userId as UserId | undefined].filter((id) => id !== undefined),
          since: since === undefined ? undefined : toInstant(since),
        });
      },
    }),
  };
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Converts a time with an offset to UTC, and limits the result to the years from 0 to 9999. */
function toInstant(dateTime: string): Timestamp {
  const instantMs = Date.parse(dateTime.toUpperCase());
  return toTimestamp(Math.min(Math.max(instantMs, FIRST_MS), LAST_MS));
}
