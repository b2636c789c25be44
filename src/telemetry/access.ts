/** The access log: one line for each request. */
import type { Log } from './log.ts';

interface AccessRecord {
  readonly requestId: string;
  /** The id of the trace that a caller or a proxy began. */
  readonly traceId?: string | undefined;
  readonly method?: string | undefined;
  /** The path template; absent when no route matches. */
  readonly route?: string | undefined;
  readonly status: number;
  /** The time from the end of the header fields to the response. */
  readonly durationMs?: number;
  /** The size of the response without its header fields. */
  readonly bodyBytes: number;
  readonly address: string;
  readonly userId?: number | undefined;
  readonly signIn?: 'password' | 'token' | undefined;
}

/**
 * Records a request, also a malformed one. The line has the route rather than the path, because a path may
 * hold names. It has no query, because people put tokens into queries.
 */
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
