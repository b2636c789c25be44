/**
 * The id of a request: the one in `X-Request-Id` when a trusted proxy has set it, otherwise a new one. Ids
 * appear in responses, the log and the audit trail. So clients cannot choose them, and only short ids of
 * harmless characters are accepted.
 */
import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[A-Za-z0-9._:=@+/-]{1,128}$/;

/** @param field - The field that a trusted proxy sent, if any. */
export function toRequestId(field?: string | string[]): string {
  return typeof field === 'string' && ACCEPTED.test(field) ? field : randomUUID();
}
