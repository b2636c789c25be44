/** `/api/v1/audit_events`: who changed what, for administrators. */
import { list } from '../../api/answers.ts';
import { operation } from '../../api/operation.ts';
import {
  instant, pageRequest, paging, parameter, sortBy, usernameInQuery,
} from '../../api/parameters.ts';
import { refuse } from '../../api/problems.ts';
import type { Database } from '../../database/database.ts';
import { integer, nullable, object, oneOf, text } from '../../jsonschema/typed.ts';
import { AUDIT_ACTIONS } from '../../model/audit.ts';
import type { UserId } from '../../model/user.ts';
import { id, timestamp } from '../../resources/schemas.ts';
import { createAuditReader } from './store.ts';

export const auditEvent = object({
  id: id(12, 'Ascends with time.'),
  date_created: timestamp('2026-01-31T12:05:00.000Z'),
  action: oneOf(AUDIT_ACTIONS, { example: 'project.create' }),
  resource: object({
    type: oneOf(['user', 'project', 'token', 'service'], { example: 'project' }),
    id: nullable(integer({ example: 1 }), { description: '`null` for a resource without an id.' }),
    name: text({ description: 'Its name at that time; may be empty.', example: 'notes' }),
  }, { description: 'The resource that was changed.' }),
  details: text({ description: 'The change in words, without secrets; may be empty.', example: '' }),
  user: nullable(
    object({
      id: integer({ minimum: 1, example: 2 }),
      username: text({ description: 'Their name at that time.', example: 'ada' }),
    }),
    {
      description:
        'The user who made the change; `null` without a sign-in, and for programs of the operator.',
    },
  ),
  sign_in: oneOf(['password', 'token', 'none', 'program'], {
    description:
      'How they signed in: `none` is a request without a sign-in, `program` a command of the ' +
      'operator or the service.',
  }),
  token_id: nullable(
    integer({ example: 7 }), { description: 'The token that they signed in with.', example: null },
  ),
  request_id: text({
    description: 'As in the log and in the response to that request; empty without a request.',
    example: '6f1c1c3e-5b0e-4a57-9d4f-0d6a3c6b8f52',
  }),
  address: text({
    description: 'The network address of the client; empty without a request.', example: '192.0.2.7',
  }),
});

export function auditOperations(database: Database) {
  const audit = createAuditReader(database);
  return {
    listAuditEvents: operation({
      method: 'GET',
      path: '/api/v1/audit_events',
      access: 'administrator',
      mayTakeLong: true,
      tag: 'Audit trail',
      summary: 'List audit events',
      description:
        'The changes of the service, by id unless `sort` says otherwise. Each event is stored together ' +
        'with its change, in a table that refuses updates and deletions. Failed sign-ins are counted for ' +
        'each user and address, and recorded once a minute.',
      query: {
        action: parameter(oneOf(AUDIT_ACTIONS, {
          description: 'Only events of this kind.', example: 'project.create',
        })),
        username: usernameInQuery('Only changes by or to the user who has this name now. Case is ignored.'),
        user_id: parameter(integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Only changes by or to this user, under any name, also after a deletion.',
          example: 2,
        }), (value) => value as UserId), // an id of no user finds nothing
        since: instant('Only events from this moment on (RFC 3339, any offset).'),
        sort: sortBy(),
        ...paging,
      },
      answers: list('audit_events', auditEvent, '/api/v1/audit_events'),
      refuses: ['noSuchUser'],
      async handle({ users }, { query }) {
        const { action, username: name, user_id: userId, since, sort } = query;
        const named = name === undefined ? undefined : await users.find({ name });
        if (name !== undefined && named === undefined) {
          return refuse('noSuchUser'); // an empty list would look like a user who did nothing
        }
        const page = pageRequest(query);
        const userIds = [named?.id, userId].filter((id) => id !== undefined);
        return { page, found: await audit.list({ action, userIds, since, page, sort }) };
      },
    }),
  };
}
