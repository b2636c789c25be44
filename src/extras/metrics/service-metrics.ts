/** The metrics of one process: HTTP, sign-ins, caches, the database, and the process itself. */
import type { Database } from '../../database/database.ts';
import type { Observer, SignInOutcome } from '../../telemetry/access-log.ts';
import { createHttpMetrics } from './http-metrics.ts';
import type { Metric } from './metrics.ts';
import { counter, createProcessMetrics, gauge } from './process-metrics.ts';

interface LookUps {
  readonly hits: number;
  readonly misses: number;
}

interface ServiceMetrics {
  readonly observer: Observer;
  /** @param verifiedLookUps - Hits and misses of the cache of verified passwords. */
  collect(verifiedLookUps: LookUps): readonly Metric[];
}

export function createServiceMetrics(database: Database): ServiceMetrics {
  const { collect: collectHttp, ...http } = createHttpMetrics();
  const collectProcess = createProcessMetrics();
  const signIns: Record<SignInOutcome, number> = {
    password: 0, token: 0, rejected: 0, throttled: 0, busy: 0,
  };
  return {
    observer: {
      ...http,
      signedIn(outcome) {
        signIns[outcome] += 1;
      },
    },
    collect: (verifiedLookUps) => [
      ...collectHttp(),
      {
        name: 'rollcall_sign_ins_total',
        help: 'Requests to operations that need credentials, by the result of checking them.',
        type: 'counter',
        aggregate: 'sum',
        samples: Object.entries(signIns).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      lookUps(
        'rollcall_verified_password_lookups_total', 'Look-ups in the cache of verified passwords.',
        verifiedLookUps,
      ),
      ...collectDatabase(database),
      ...collectProcess(),
    ],
  };
}

function collectDatabase(database: Database): readonly Metric[] {
  const measured = database.measure();
  return measured === undefined ? [] : [
    gauge('rollcall_database_size_bytes', 'Size of the database file.', measured.fileBytes),
    gauge(
      'rollcall_database_wal_size_bytes', 'Size of the write-ahead log of the database.', measured.walBytes,
    ),
    lookUps(
      'rollcall_frequent_reads_total',
      'Reads of callers and their tokens, by whether the cache had the answer.', measured.frequentReads,
    ),
  ];
}

function lookUps(name: string, help: string, { hits, misses }: LookUps): Metric {
  const samples = [{ labels: { result: 'hit' }, value: hits }, { labels: { result: 'miss' }, value: misses }];
  return { ...counter(name, help, 0), samples };
}
