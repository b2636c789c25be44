/**
 * The id of a request: the one in `X-Request-Id` when a trusted proxy has set it, otherwise a new one. An id
 * goes into answers, the log and the audit trail. So clients do not choose it, and only short ids of harmless
 * characters count.
 */
import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[A-Za-z0-9._:=@+/-]{1,128}$/;

/** @param field - The field of a trusted proxy, if there is one. */
export function toRequestId(field?: string | string[]): string {
  return typeof field === 'string' && ACCEPTED.test(field) ? field : randomUUID();
}
