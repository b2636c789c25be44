/** `/metrics`: metrics in the text that Prometheus reads (text exposition format 0.0.4). */
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
  /** For a histogram: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  /** Their values are words of this program, never of its clients, so nothing is escaped. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function toPrometheusText(metrics: readonly Metric[]): string {
  return metrics.map(({ name, help, type, samples }) => {
    const lines = samples.map(
      ({ suffix = '', labels, value }) => `${name}${suffix}${formatLabels(labels)} ${value}\n`,
    );
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
  }).join('');
}

function formatLabels(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const EXAMPLE =
  '# HELP http_server_active_requests Requests without a response yet.\n' +
  '# TYPE http_server_active_requests gauge\nhttp_server_active_requests 1\n';

/**
 * The operation exists only while the setting `METRICS` is `on`.
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
