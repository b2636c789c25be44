/**
 * `/metrics` shows metrics in the text exposition format 0.0.4 of Prometheus. The names and units of metrics
 * follow the conventions of OpenTelemetry.
 */
import { timingSafeEqual } from 'node:crypto';
import { statSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { operation } from '../../api/operation.ts';
import { refuse } from '../../api/problems.ts';
import type { Services } from '../../api/services.ts';
import type { Observer } from '../../app.ts';
import { parseCredentials } from '../../auth/credentials.ts';
import type { Config } from '../../config.ts';
import type { DatabaseLocation } from '../../database/location.ts';
import { toTokenDigest, type TokenDigest } from '../../model/token.ts';

/** The name of a counter ends with `_total`. The name of any other metric ends with the unit. */
type Metric = readonly [
  name: string, type: 'counter' | 'gauge' | 'histogram', help: string, value: number | readonly Sample[],
];

interface Sample {
  /** In a histogram, the name of each sample ends with a suffix such as `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  /** The values of labels are not escaped, because these values never contain text from clients. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const HEADERS = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };

/** Without a `metricsToken`, the metrics are public. */
export function createMetrics({ database, metricsToken }: Pick<Config, 'database' | 'metricsToken'>) {
  const { collect: collectHttp, ...http } = createHttpMetrics();
  const collectProcess = createProcessMetrics();
  const signIns = { password: 0, token: 0, rejected: 0, throttled: 0, busy: 0 };
  const observer: Observer = {
    ...http,
    signedIn(outcome) {
      signIns[outcome] += 1;
    },
  };
  const collect = ({ queues, lookUps: { hits, misses } }: Services): readonly Metric[] => [
    ...collectHttp(),
    [
      'rollcall_sign_ins_total', 'counter',
      'Requests to operations that need credentials, by the outcome of the sign-in.',
      toSamples('outcome', signIns),
    ],
    [
      'rollcall_verified_password_lookups_total', 'counter', 'Look-ups in the cache of verified passwords.',
      toSamples('result', { hit: hits, miss: misses }),
    ],
    ...collectQueues(queues),
    ...collectDatabase(database),
    ...collectProcess(),
  ];
  const digest = metricsToken === undefined ? undefined : toTokenDigest(metricsToken);
  const operations = {
    reportMetrics: operation({
      method: 'GET',
      path: '/metrics',
      access: digest === undefined ? 'public' : 'secret',
      refuses: digest === undefined ? [] : ['unauthenticated'],
      handle: async (services, { request: { headers } }) =>
        digest === undefined || holdsSecret(headers.authorization, digest)
          ? { status: 200, headers: HEADERS, body: toPrometheusText(collect(services)) }
          : refuse('unauthenticated'),
    }),
  };
  return { observer, operations };
}

/** Compares digests of the tokens, because `timingSafeEqual` accepts only values of equal length. */
function holdsSecret(authorization: string | undefined, digest: TokenDigest): boolean {
  const credentials = parseCredentials(authorization);
  const offered = toTokenDigest(credentials.kind === 'token' ? credentials.token : '');
  return timingSafeEqual(Buffer.from(offered), Buffer.from(digest));
}

export function toPrometheusText(metrics: readonly Metric[]): string {
  return metrics.map(([name, type, help, value]) => {
    const samples: readonly Sample[] = typeof value === 'number' ? [{ labels: {}, value }] : value;
    const lines = samples.map((sample) => (
      `${name}${sample.suffix ?? ''}${formatLabels(sample.labels)} ${sample.value}\n`
    ));
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
  }).join('');
}

function formatLabels(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** The upper bounds of histogram buckets, in seconds, as OpenTelemetry recommends. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, Infinity];

/** Unknown methods are counted as `_OTHER`, so that clients cannot create countless time series. */
const KNOWN_METHODS = new Set([
  'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE',
]);

interface Series {
  readonly labels: Sample['labels'];
  /** A duration is counted only in the smallest bucket that fits. */
  readonly counts: number[];
  sumSeconds: number;
}

export function createHttpMetrics() {
  const series = new Map<string, Series>();
  let activeCount = 0;

  function find(route: string | undefined, anyMethod: string, status: number): Series {
    const method = KNOWN_METHODS.has(anyMethod) ? anyMethod : '_OTHER';
    const key = `${method} ${status} ${route}`;
    const found = series.get(key) ?? {
      labels: {
        http_request_method: method,
        ...(route !== undefined && { http_route: route }),
        http_response_status_code: String(status),
      },
      counts: BOUNDS.map(() => 0),
      sumSeconds: 0,
    };
    series.set(key, found);
    return found;
  }

  return {
    requestBegan() {
      activeCount += 1;
    },
    requestEnded({ route, method, status, durationMs }: Parameters<Observer['requestEnded']>[0]) {
      const found = find(route, method, status);
      const seconds = durationMs / 1_000;
      const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
      found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
      found.sumSeconds += seconds;
      activeCount -= 1;
    },
    collect: (): readonly Metric[] => [
      [
        'http_server_request_duration_seconds', 'histogram',
        'Time from the start of an HTTP request until the response is ready.',
        [...series.values()].flatMap(toHistogram),
      ],
      ['http_server_active_requests', 'gauge', 'HTTP requests that have no response yet.', activeCount],
    ],
  };
}

/** In the output, buckets are cumulative: each bucket also counts the durations in all lower buckets. */
function toHistogram({ labels, counts, sumSeconds }: Series): readonly Sample[] {
  let count = 0;
  const buckets = BOUNDS.map((bound, index) => {
    count += counts[index] ?? 0;
    const le = bound === Infinity ? '+Inf' : String(bound);
    return { suffix: '_bucket', labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets, { suffix: '_sum', labels, value: sumSeconds }, { suffix: '_count', labels, value: count },
  ];
}

function collectQueues(queues: Services['queues']): readonly Metric[] {
  const measured = Object.entries(queues).map(([queue, { measures }]) => ({ queue, ...measures }));
  return [
    [
      'rollcall_queue_jobs_total', 'counter',
      'Jobs (password hashing and long reads) that left the queue, by outcome.',
      measured.flatMap(({ queue, done, busy, dropped }) => (
        toSamples('outcome', { done, busy, dropped }, { queue })
      )),
    ],
    [
      'rollcall_queue_waiting_jobs', 'gauge',
      'Jobs (password hashing and long reads) that wait in the queue.',
      measured.map(({ queue, waiting }) => ({ labels: { queue }, value: waiting })),
    ],
  ];
}

function toSamples(
  label: string, values: Readonly<Record<string, number>>, others: Sample['labels'] = {},
): readonly Sample[] {
  return Object.entries(values).map(([word, value]) => ({ labels: { ...others, [label]: word }, value }));
}

/** For a cluster, the result is empty, because the nodes themselves report the sizes of their files. */
function collectDatabase(location: DatabaseLocation): readonly Metric[] {
  if (location.driver !== 'sqlite') {
    return [];
  }
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const { path } = location;
  return [
    ['rollcall_database_size_bytes', 'gauge', 'Size of the database file.', sizeOf(path)],
    ['rollcall_database_wal_size_bytes', 'gauge', 'Size of the write-ahead log.', sizeOf(`${path}-wal`)],
  ];
}

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
/** The delay of the event loop is measured at this interval. */
const RESOLUTION_MS = 20;

export function createProcessMetrics(): () => readonly Metric[] {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return () => {
    const { user, system } = process.cpuUsage();
    const [p99, longest] = [toSeconds(delay.percentile(99)), toSeconds(delay.max)];
    delay.reset();
    const [memory, startedAt] = [process.memoryUsage.rss(), performance.timeOrigin / 1_000];
    return [
      ['process_resident_memory_bytes', 'gauge', 'Resident memory of the process.', memory],
      [
        'process_start_time_seconds', 'gauge',
        'Start time of the process, in seconds since the Unix epoch.', startedAt,
      ],
      [
        'nodejs_eventloop_delay_p99_seconds', 'gauge',
        '99th percentile of the event loop delay since the last scrape.', p99,
      ],
      [
        'nodejs_eventloop_delay_max_seconds', 'gauge',
        'Longest event loop delay since the last scrape.', longest,
      ],
      ['process_cpu_seconds_total', 'counter', 'CPU time of the process.', (user + system) / MICROSECONDS],
    ];
  };
}

/** For an empty histogram, Node.js reports 0 or a huge integer. The result is then 0. */
function toSeconds(nanoseconds: number): number {
  return nanoseconds > 0 && nanoseconds < Number.MAX_SAFE_INTEGER ? nanoseconds / NANOSECONDS : 0;
}
