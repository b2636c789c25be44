/** What the service counts and measures of itself, beside HTTP: sign-ins, memories, the database, and the process. */
import type { VerifiedCache } from './auth/verified-cache.ts';
import type { Database } from './database/database.ts';
import { createHttpMetrics, type HttpMetrics } from './telemetry/http-metrics.ts';
import type { Metric } from './telemetry/metrics.ts';
import { counter, createProcessMetrics, gauge } from './telemetry/process-metrics.ts';

/** What became of a request to a route that wants credentials. */
type SignInOutcome = 'password' | 'token' | 'rejected' | 'throttled' | 'busy';

export interface ServiceMetrics {
  readonly http: HttpMetrics;
  readonly signIns: Record<SignInOutcome, number>;
  /** Those of this process. */
  collect(): readonly Metric[];
}

export function createServiceMetrics({ database, verified }: { readonly database: Database; readonly verified: VerifiedCache }): ServiceMetrics {
  const http = createHttpMetrics();
  const collectProcess = createProcessMetrics();
  const signIns = { password: 0, token: 0, rejected: 0, throttled: 0, busy: 0 };
  return {
    http,
    signIns,
    collect: () => [
      ...http.collect(),
      {
        name: 'rollcall_sign_ins_total',
        help: 'Requests to routes that want credentials, by what these were or why they did not count.',
        type: 'counter',
        together: 'sum',
        samples: Object.entries(signIns).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      toLookUps('rollcall_verified_password_lookups_total', 'Passwords that were looked up among those that were right before.', verified.lookUps),
      ...collectDatabase(database),
      ...collectProcess(),
    ],
  };
}

function collectDatabase(database: Database): readonly Metric[] {
  const measured = database.measure();
  return measured === undefined ? [] : [
    gauge('rollcall_database_size_bytes', 'Size of the database file.', measured.fileBytes),
    gauge('rollcall_database_wal_size_bytes', 'Size of the write-ahead log of the database.', measured.walBytes),
    toLookUps('rollcall_frequent_reads_total', 'Reads of callers and their tokens, by whether memory had the answer.', measured.frequentReads),
  ];
}

function toLookUps(name: string, help: string, { hits, misses }: { readonly hits: number; readonly misses: number }): Metric {
  const samples = [{ labels: { result: 'hit' }, value: hits }, { labels: { result: 'miss' }, value: misses }];
  return { ...counter(name, help, 0), samples };
}
