/** `/api/v1/audit_events` */
import type { Schema } from '../jsonschema/schema.ts';
import { AUDIT_ACTIONS } from '../model/audit.ts';
import { createAuditEventSchema } from '../schemas/audit-events.ts';
import { ITEMS_PER_PAGE_MAX } from '../schemas/parameters.ts';
import { jsonContent, type OperationDescription } from './description.ts';
import { auditEvent } from './examples.ts';
import { LIST_HEADERS, toLinkExample } from './headers.ts';
import { PAGING, queryParameter, sortParameter } from './parameters.ts';

export const auditEventSchema = createAuditEventSchema(AUDIT_ACTIONS);

const auditEventListSchema: Schema = {
  type: 'object',
  required: ['audit_events'],
  properties: { audit_events: { type: 'array', maxItems: ITEMS_PER_PAGE_MAX, items: auditEventSchema } },
};

export const auditEventOperations = {
  listAuditEvents: {
    tag: 'Audit trail',
    description:
      'By ascending id unless `sort` says otherwise. Each change is recorded together with itself, in a table that ' +
      'refuses updates and deletions. Failed sign-ins are counted for each user and address, and recorded ' +
      'once a minute.',
    parameters: [
      queryParameter('action', 'Only events of this kind.', { type: 'string', enum: AUDIT_ACTIONS }, 'project.create'),
      queryParameter(
        'username',
        'Only changes by this user or to this user, and failed sign-ins as this user; case is ignored.',
        { type: 'string' },
        'ada',
      ),
      queryParameter(
        'since',
        'Only events from this moment on (RFC 3339, any offset).',
        { type: 'string', format: 'date-time' },
        '2026-01-31T00:00:00Z',
      ),
      sortParameter([]),
      ...PAGING,
    ],
    answers: [
      {
        status: 200,
        description: 'A page of events.',
        headers: LIST_HEADERS,
        headerExamples: toLinkExample('/api/v1/audit_events'),
        content: jsonContent(auditEventListSchema, { audit_events: [auditEvent] }),
      },
    ],
  },
} as const satisfies Readonly<Record<string, OperationDescription>>;
