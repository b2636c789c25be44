/**
 * One line for each answered request. The route stands for the path, which may hold names, and queries are left out, as
 * people put tokens there.
 */
import type { Log } from './log.ts';

interface AccessRecord {
  readonly requestId: string;
  readonly method: string;
  /** The template of the route; absent when there is none. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  readonly address: string;
  readonly userId: number | undefined;
  readonly signIn: 'password' | 'token' | undefined;
}

export function logAccess(log: Log, record: AccessRecord): void {
  log('info', 'request', {
    request_id: record.requestId,
    method: record.method,
    route: record.route,
    status: record.status,
    duration_ms: Math.round(record.durationMs * 1000) / 1000,
    address: record.address,
    user_id: record.userId,
    sign_in: record.signIn,
  });
}
