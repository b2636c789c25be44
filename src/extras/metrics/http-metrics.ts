/**
 * Counts requests and their durations by OpenTelemetry's conventions for HTTP servers. Recording one takes
 * two look-ups and three additions; names and labels are made when somebody asks.
 */
import type { Observer } from '../../telemetry/observer.ts';
import type { Metric, Sample } from './metrics.ts';

interface HttpMetrics extends Pick<Observer, 'requestBegan' | 'requestEnded'> {
  collect(): readonly Metric[];
}

/** In seconds, as the conventions advise. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Any other method is `_OTHER`, or clients could make as many series as they like. */
const KNOWN_METHODS = new Set([
  'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE',
]);

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** One for each bound, and one for what is beyond them. */
  readonly counts: Float64Array;
  sumSeconds: number;
}

export function createHttpMetrics(): HttpMetrics {
  /** By route, then by method, then by status. */
  const byRoute = new Map<string | undefined, Map<string, Series[]>>();
  const all: Series[] = [];
  let activeCount = 0;

  function find(route: string | undefined, method: string, status: number): Series {
    return byRoute.get(route)?.get(method)?.[status] ?? add(route, method, status);
  }

  function add(route: string | undefined, anyMethod: string, status: number): Series {
    const method = KNOWN_METHODS.has(anyMethod) ? anyMethod : '_OTHER';
    const byMethod = getOrAdd(byRoute, route, () => new Map<string, Series[]>());
    const byStatus = getOrAdd(byMethod, method, () => []);
    return (byStatus[status] ??= create(route, method, status));
  }

  function create(route: string | undefined, method: string, status: number): Series {
    const labels = {
      http_request_method: method,
      ...(route !== undefined && { http_route: route }),
      http_response_status_code: String(status),
    };
    const series = { labels, counts: new Float64Array(BOUNDS.length + 1), sumSeconds: 0 };
    all.push(series);
    return series;
  }

  return {
    requestBegan() {
      activeCount += 1;
    },
    requestEnded({ route, method, status, durationMs }) {
      const series = find(route, method, status);
      const seconds = durationMs / 1000;
      let bucket = 0;
      while (seconds > (BOUNDS[bucket] ?? Infinity)) {
        bucket += 1;
      }
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sumSeconds += seconds;
      activeCount -= 1;
    },
    collect: () => [
      {
        name: 'http_server_request_duration_seconds',
        help: 'Duration of HTTP server requests, up to the answer.',
        type: 'histogram',
        together: 'sum',
        samples: all.map(toSample),
      },
      {
        name: 'http_server_active_requests',
        help: 'Number of HTTP server requests that are not answered yet.',
        type: 'gauge',
        together: 'sum',
        samples: [{ labels: {}, value: activeCount }],
      },
    ],
  };
}

function toSample({ labels, counts, sumSeconds }: Series): Sample {
  const buckets = [...BOUNDS, 'none' as const].map((bound, index) => ({ bound, count: counts[index] ?? 0 }));
  return { labels, value: sumSeconds, buckets };
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
