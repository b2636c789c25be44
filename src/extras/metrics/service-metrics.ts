/** The metrics of one process: HTTP, sign-ins, caches, the database, and the process itself. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Database } from '../../database/database.ts';
import type { QueueMeasures } from '../../scheduling/fair-queue.ts';
import type { Observer, SignInOutcome } from '../../telemetry/observer.ts';
import type { Metric, Sample } from './metrics.ts';

interface LookUps {
  readonly hits: number;
  readonly misses: number;
}

interface ServiceMetrics {
  readonly observer: Observer;
  readonly collect: () => readonly Metric[];
}

/** The parts of the service that count for themselves. */
interface CountingParts {
  readonly database: Database;
  readonly verified: { readonly lookUps: LookUps };
  readonly queues: Readonly<Record<string, { readonly measures: QueueMeasures }>>;
}

export function createServiceMetrics({ database, verified, queues }: CountingParts): ServiceMetrics {
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
    collect: () => [
      ...collectHttp(),
      {
        name: 'rollcall_sign_ins_total',
        help: 'Requests to operations that need credentials, by the result of checking them.',
        type: 'counter',
        samples: Object.entries(signIns).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      lookUps(
        'rollcall_verified_password_lookups_total', 'Look-ups in the cache of verified passwords.',
        verified.lookUps,
      ),
      ...collectQueues(queues),
      ...collectDatabase(database),
      ...collectProcess(),
    ],
  };
}

interface HttpMetrics extends Pick<Observer, 'requestBegan' | 'requestEnded'> {
  collect(): readonly Metric[];
}

/** The upper bounds of the buckets in seconds, as the conventions advise. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** All other methods are counted as `_OTHER`. Otherwise clients could create any number of series. */
const KNOWN_METHODS = new Set([
  'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE',
]);

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** One count for each bound, and one for durations beyond all bounds. */
  readonly counts: Float64Array;
  sumSeconds: number;
}

/**
 * Counts requests and their durations by OpenTelemetry's conventions for HTTP servers. Recording a request
 * takes a look-up and three additions.
 */
export function createHttpMetrics(): HttpMetrics {
  /** The series by method, status and route. */
  const series = new Map<string, Series>();
  let activeCount = 0;

  function find(route: string | undefined, anyMethod: string, status: number): Series {
    const method = KNOWN_METHODS.has(anyMethod) ? anyMethod : '_OTHER';
    const key = `${method} ${status} ${route}`;
    const found = series.get(key) ?? createSeries(route, method, status);
    series.set(key, found);
    return found;
  }

  return {
    requestBegan() {
      activeCount += 1;
    },
    requestEnded({ route, method, status, durationMs }) {
      const found = find(route, method, status);
      const seconds = durationMs / 1000;
      let bucket = 0;
      while (seconds > (BOUNDS[bucket] ?? Infinity)) {
        bucket += 1;
      }
      found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
      found.sumSeconds += seconds;
      activeCount -= 1;
    },
    collect: () => [
      {
        name: 'http_server_request_duration_seconds',
        help: 'Duration of HTTP server requests, up to the answer.',
        type: 'histogram',
        samples: Array.from(series.values(), toSample),
      },
      {
        name: 'http_server_active_requests',
        help: 'Number of HTTP server requests that are not answered yet.',
        type: 'gauge',
        samples: [{ labels: {}, value: activeCount }],
      },
    ],
  };
}

function createSeries(route: string | undefined, method: string, status: number): Series {
  const labels = {
    http_request_method: method,
    ...(route !== undefined && { http_route: route }),
    http_response_status_code: String(status),
  };
  return { labels, counts: new Float64Array(BOUNDS.length + 1), sumSeconds: 0 };
}

function toSample({ labels, counts, sumSeconds }: Series): Sample {
  const buckets = [...BOUNDS, 'none' as const].map((bound, index) => ({ bound, count: counts[index] ?? 0 }));
  return { labels, value: sumSeconds, buckets };
}

function collectQueues(queues: CountingParts['queues']): readonly Metric[] {
  const measured = Object.entries(queues).map(([queue, { measures }]) => ({ queue, ...measures }));
  return [
    {
      name: 'rollcall_queue_jobs_total',
      help: 'Password hashes and long reads: done, refused because the queue was long, or dropped.',
      type: 'counter',
      samples: measured.flatMap(({ queue, done, busy, dropped }) =>
        Object.entries({ done, busy, dropped }).map(([outcome, value]) => ({
          labels: { queue, outcome }, value,
        })),
      ),
    },
    {
      name: 'rollcall_queue_waiting_jobs',
      help: 'Password hashes and long reads that wait for their turn.',
      type: 'gauge',
      samples: measured.map(({ queue, waiting }) => ({ labels: { queue }, value: waiting })),
    },
  ];
}

function collectDatabase(database: Database): readonly Metric[] {
  const measured = database.measure();
  return measured === undefined ? [] : [
    gauge('rollcall_database_size_bytes', 'Size of the database file.', measured.fileBytes),
    gauge(
      'rollcall_database_wal_size_bytes', 'Size of the write-ahead log of the database.', measured.walBytes,
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
        'process_resident_memory_bytes', 'Resident memory of the process.', process.memoryUsage.rss(),
      ),
      gauge(
        'process_start_time_seconds', 'Start time since the Unix epoch.', performance.timeOrigin / 1000,
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
        'process_cpu_seconds_total', 'User and system time of the process.', (user + system) / MICROSECONDS,
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

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', samples: [{ labels: {}, value }] };
}

export function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: 'counter', samples: [{ labels: {}, value }] };
}
