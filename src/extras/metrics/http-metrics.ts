/**
 * Counts requests and their durations by OpenTelemetry's conventions for HTTP servers. Recording a request
 * takes a look-up and three additions.
 */
import type { Observer } from '../../telemetry/access-log.ts';
import type { Metric, Sample } from './metrics.ts';

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
        aggregate: 'sum',
        samples: Array.from(series.values(), toSample),
      },
      {
        name: 'http_server_active_requests',
        help: 'Number of HTTP server requests that are not answered yet.',
        type: 'gauge',
        aggregate: 'sum',
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
