/**
 * Metrics with the names and units of OpenTelemetry's conventions, and the text in which Prometheus reads
 * them (text exposition format 0.0.4). Metrics are plain values, so that processes can send them to each
 * other. The metrics of several processes are merged.
 */
import { toTokenDigest } from '../../auth/token.ts';
import { text } from '../../jsonschema/typed.ts';
import { operation, type Access } from '../../resources/operation.ts';

export interface Metric {
  /** The name ends with the unit; the name of a counter has `_total` after the unit. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How the values of several processes are merged. */
  readonly aggregate: 'sum' | 'max';
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  /** For a histogram, the sum of all observations. */
  readonly value: number;
  /**
   * Only for a histogram: the number of observations between the previous bound and this one. The last
   * bucket has no bound.
   */
  readonly buckets?: readonly Bucket[];
}

interface Bucket {
  readonly bound: number | 'none';
  readonly count: number;
}

/** @param lists - The metrics of each process. */
export function mergeMetrics(lists: readonly (readonly Metric[])[]): readonly Metric[] {
  const merged = new Map<string, Metric>();
  for (const metric of lists.flat()) {
    const other = merged.get(metric.name);
    merged.set(metric.name, other === undefined ? metric : {
      ...metric, samples: mergeSamples(metric.aggregate, [...other.samples, ...metric.samples]),
    });
  }
  return [...merged.values()];
}

function mergeSamples(aggregate: Metric['aggregate'], samples: readonly Sample[]): readonly Sample[] {
  const merged = new Map<string, Sample>();
  for (const sample of samples) {
    const key = formatLabels(sample.labels);
    const other = merged.get(key);
    merged.set(key, other === undefined ? sample : mergeTwo(aggregate, other, sample));
  }
  return [...merged.values()];
}

function mergeTwo(aggregate: Metric['aggregate'], left: Sample, right: Sample): Sample {
  if (aggregate === 'max') {
    return left.value >= right.value ? left : right;
  }
  const buckets = left.buckets?.map(({ bound, count }, index) => ({
    bound, count: count + (right.buckets?.[index]?.count ?? 0),
  }));
  return { labels: left.labels, value: left.value + right.value, ...(buckets && { buckets }) };
}

export function toPrometheusText(metrics: readonly Metric[]): string {
  return metrics.map(formatMetric).join('');
}

function formatMetric({ name, help, type, samples }: Metric): string {
  const lines = samples.map((sample) => formatSample(name, sample));
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function formatSample(name: string, { labels, value, buckets }: Sample): string {
  if (buckets === undefined) {
    return `${name}${formatLabels(labels)} ${value}\n`;
  }
  let count = 0; // in the text, each bucket includes all smaller buckets
  const lines = buckets.map((bucket) => {
    count += bucket.count;
    const le = bucket.bound === 'none' ? '+Inf' : String(bucket.bound);
    return `${name}_bucket${formatLabels({ ...labels, le })} ${count}\n`;
  });
  const shown = formatLabels(labels);
  return `${lines.join('')}${name}_sum${shown} ${value}\n${name}_count${shown} ${count}\n`;
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

const MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const EXAMPLE =
  '# HELP http_server_active_requests Requests without a response yet.\n' +
  '# TYPE http_server_active_requests gauge\nhttp_server_active_requests 1\n';

/**
 * `/metrics`, which exists only while the setting `METRICS` is `on`.
 *
 * @param secret - The token that a scraper must send; absent when anybody may read the metrics.
 * @param collect - Collects the metrics of all processes of the service.
 */
export function metricsOperations(secret: string | undefined, collect: () => Promise<readonly Metric[]>) {
  const access: Access = secret === undefined ? 'public' : { digest: toTokenDigest(secret) };
  return {
    reportMetrics: operation({
      method: 'GET',
      path: '/metrics',
      access,
      tag: 'Service',
      summary: 'Get metrics for Prometheus',
      description: 'In the text format 0.0.4, for all processes of the service.',
      answers: {
        responses: [{
          status: 200,
          description: 'The metrics.',
          content: { 'text/plain': { schema: text({ example: EXAMPLE }) } },
        }],
        reply: (body: string) => ({ status: 200, headers: { 'Content-Type': MEDIA_TYPE }, body }),
      },
      handle: async () => toPrometheusText(await collect()),
    }),
  };
}
