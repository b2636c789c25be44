/** The metrics of one process: HTTP, sign-ins, caches, the database, and the process itself. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Database } from '../../database/database.ts';
import type { Observer, SignInOutcome } from '../../telemetry/access-log.ts';
import { createHttpMetrics } from './http-metrics.ts';
import type { Metric } from './metrics.ts';

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

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
/** The event loop is sampled at this interval, so delays are exact to this many milliseconds. */
const RESOLUTION_MS = 20;

/**
 * Measures what the process itself uses: memory and processor time, and how long its event loop was held.
 *
 * @returns A function that collects the metrics. Its event loop delays are those since the last call.
 */
export function createProcessMetrics(): () => readonly Metric[] {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return () => {
    const { user, system } = process.cpuUsage();
    const metrics = [
      gauge(
        'process_resident_memory_bytes', 'Resident memory of all processes of the service.',
        process.memoryUsage.rss(), 'sum',
      ),
      gauge(
        'process_start_time_seconds', 'Start time since the Unix epoch; of several processes, the latest.',
        performance.timeOrigin / 1000,
      ),
      gauge(
        'nodejs_eventloop_delay_p99_seconds',
        '99th percentile of the event loop delay since the last scrape.', seconds(delay.percentile(99)),
      ),
      gauge(
        'nodejs_eventloop_delay_max_seconds', 'Longest event loop delay since the last scrape.',
        seconds(delay.max),
      ),
      counter(
        'process_cpu_seconds_total', 'User and system time of all processes of the service.',
        (user + system) / MICROSECONDS,
      ),
    ];
    delay.reset();
    return metrics;
  };
}

/** Converts nanoseconds. A histogram without observations reports 0 and the largest integer: both give 0. */
function seconds(nanoseconds: number): number {
  return nanoseconds > 0 && nanoseconds < Number.MAX_SAFE_INTEGER ? nanoseconds / NANOSECONDS : 0;
}

export function gauge(
  name: string,
  help: string,
  value: number,
  aggregate: Metric['aggregate'] = 'max',
): Metric {
  return { name, help, type: 'gauge', aggregate, samples: [{ labels: {}, value }] };
}

export function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: 'counter', aggregate: 'sum', samples: [{ labels: {}, value }] };
}
