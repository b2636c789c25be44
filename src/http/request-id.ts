/**
 * The id of a request, from the `X-Request-Id` field when a proxy in front has given one, otherwise new. An id goes into
 * answers and logs, so only short ones of harmless characters are taken over.
 */
import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[A-Za-z0-9._:=@+/-]{1,128}$/;

export function toRequestId(field: string | string[] | undefined): string {
  return typeof field === 'string' && ACCEPTED.test(field) ? field : randomUUID();
}
