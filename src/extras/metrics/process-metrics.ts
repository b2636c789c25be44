/** Measures what the process itself uses: memory and processor time, and how long its event loop was held. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Metric } from './metrics.ts';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
/** The event loop is sampled at this interval, so delays are exact to this many milliseconds. */
const RESOLUTION_MS = 20;

/** @returns A function that collects the metrics. Its event loop delays are those since the last call. */
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
