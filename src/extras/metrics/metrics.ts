/**
 * Metrics with the names and units of OpenTelemetry's conventions, and the text in which Prometheus reads
 * them (text exposition format 0.0.4).
 */
import { operation, type Access } from '../../api/operation.ts';
import { toTokenDigest } from '../../auth/token.ts';
import { text } from '../../jsonschema/typed.ts';

export interface Metric {
  /** The name ends with the unit; the name of a counter has `_total` after the unit. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
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
 */
export function metricsOperations(secret: string | undefined, collect: () => readonly Metric[]) {
  const access: Access = secret === undefined ? 'public' : { digest: toTokenDigest(secret) };
  return {
    reportMetrics: operation({
      method: 'GET',
      path: '/metrics',
      access,
      tag: 'Service',
      summary: 'Get metrics for Prometheus',
      description: 'In the text format 0.0.4.',
      answers: {
        responses: [{
          status: 200,
          description: 'The metrics.',
          content: { 'text/plain': { schema: text({ example: EXAMPLE }) } },
        }],
        reply: (body: string) => ({ status: 200, headers: { 'Content-Type': MEDIA_TYPE }, body }),
      },
      handle: () => toPrometheusText(collect()),
    }),
  };
}
