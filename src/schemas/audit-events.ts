/** What the audit trail shows of an event. */
import type { Schema } from '../jsonschema/schema.ts';

/** @param actions - All that are recorded. */
export function createAuditEventSchema(actions: readonly string[]): Schema {
  const properties = {
    id: { type: 'integer', minimum: 1, description: 'Ascends with time.' },
    date_created: { type: 'string', format: 'date-time', description: 'UTC, with milliseconds.' },
    action: { type: 'string', enum: actions },
    resource: {
      type: 'object',
      description: 'What was changed.',
      required: ['type', 'id', 'name'],
      properties: {
        type: { type: 'string', enum: ['user', 'project', 'token', 'service'] },
        id: { type: ['integer', 'null'], description: '`null` for what has no id.' },
        name: { type: 'string', description: 'Its name at that time; may be empty.' },
      },
    },
    details: { type: 'string', description: 'What changed, in words; never a secret; may be empty.' },
    user: {
      type: ['object', 'null'],
      description: 'Who made the change; `null` for somebody who had not signed in, and for the operator.',
      required: ['id', 'username'],
      properties: { id: { type: 'integer', minimum: 1 }, username: { type: 'string', description: 'Their name at that time.' } },
    },
    sign_in: {
      type: 'string',
      enum: ['password', 'token', 'none', 'program'],
      description:
        'How they had signed in. `none` is somebody who had not, `program` a command of the operator or the service itself.',
    },
    token_id: { type: ['integer', 'null'], description: 'The token that they signed in with.' },
    request_id: { type: 'string', description: 'As in the log and in the answer to that request; empty without a request.' },
    address: { type: 'string', description: 'Network address of the client; empty without a request.' },
  } as const satisfies Schema['properties'];
  return { type: 'object', required: Object.keys(properties), properties };
}
