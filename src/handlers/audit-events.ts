/** `/api/v1/audit_events`, for administrators. */
import type { HttpRequest, Reply } from '../http/exchange.ts';
import { AUDIT_ACTIONS, type AuditEvent } from '../model/audit.ts';
import { readAll, readInstant, readPage, readSort, readText, readWord, toJsonPage, toListReply } from './parameters.ts';
import type { Services } from './services.ts';

export async function listAuditEvents({ audit }: Services, request: HttpRequest): Promise<Reply> {
  const [page, sort, action, username, since] = readAll(
    () => readPage(request.query),
    () => readSort(request.query, []),
    () => readWord(request.query, 'action', AUDIT_ACTIONS),
    () => readText(request.query, 'username'),
    () => readInstant(request.query, 'since'),
  );
  const found = await audit.list({ filter: { action, username, since }, page, sort });
  return toListReply('audit_events', request, page, toJsonPage(found, toAuditRecord));
}

function toAuditRecord({ id, action, resource, details, origin }: AuditEvent) {
  return {
    id,
    date_created: origin.at,
    action,
    resource: { type: resource.type, id: resource.id ?? null, name: resource.name },
    details,
    user: origin.user === undefined ? null : { id: origin.user.id, username: origin.user.username },
    sign_in: origin.signIn,
    token_id: origin.tokenId ?? null,
    request_id: origin.requestId,
    address: origin.address,
  };
}
