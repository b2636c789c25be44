/**
 * One line for each answered request, and for what was refused before it was one. The route stands for the
 * path, which may hold names, and queries are left out, as people put tokens there.
 */
import type { Log } from './log.ts';

interface AccessRecord {
  readonly requestId: string;
  /** Of the trace that a caller or a proxy has begun. */
  readonly traceId?: string | undefined;
  readonly method?: string | undefined;
  /** The template of the route; absent when there is none. */
  readonly route?: string | undefined;
  readonly status: number;
  /** From the end of the header fields to the answer. */
  readonly durationMs?: number;
  /** Of the answer, without its header fields. */
  readonly bodyBytes: number;
  readonly address: string;
  readonly userId?: number | undefined;
  readonly signIn?: 'password' | 'token' | undefined;
}

export function logAccess(log: Log, record: AccessRecord): void {
  log('info', 'request', {
    request_id: record.requestId,
    trace_id: record.traceId,
    method: record.method,
    route: record.route,
    status: record.status,
    duration_ms: record.durationMs && Math.round(record.durationMs * 1000) / 1000,
    bytes: record.bodyBytes,
    address: record.address,
    user_id: record.userId,
    sign_in: record.signIn,
  });
}
