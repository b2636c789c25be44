/** `/metrics`: metrics in the text that Prometheus reads (text exposition format 0.0.4). */
import { timingSafeEqual } from 'node:crypto';
import { operation } from '../../api/operation.ts';
import { refuse } from '../../api/problems.ts';
import { custom } from '../../api/replies.ts';
import type { Services } from '../../api/services.ts';
import { parseCredentials } from '../../auth/credentials.ts';
import { toTokenDigest, type TokenDigest } from '../../model/token.ts';

export interface Metric {
  /** The name of a counter ends with `_total`. The name of any other metric ends with the unit. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** In a histogram, the name of each sample ends with a suffix such as `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  /** The values of labels are not escaped, because they never contain text from clients. */
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

/** @param secret - The token that readers of metrics must send; absent if anybody may read the metrics. */
export function metricsOperations(
  secret: string | undefined, collect: (services: Services) => readonly Metric[],
) {
  const digest = secret === undefined ? undefined : toTokenDigest(secret);
  return {
    reportMetrics: operation({
      method: 'GET',
      path: '/metrics',
      access: digest === undefined ? 'public' : 'secret',
      replies: custom((body: string) => ({ status: 200, headers: { 'Content-Type': MEDIA_TYPE }, body })),
      refuses: digest === undefined ? [] : ['unauthenticated'],
      handle: async (services, { request: { headers } }) =>
        digest === undefined || holdsSecret(headers.authorization, digest)
          ? toPrometheusText(collect(services))
          : refuse('unauthenticated'),
    }),
  };
}

/** Compares digests of the tokens, because `timingSafeEqual` accepts only values of equal length. */
function holdsSecret(authorization: string | undefined, digest: TokenDigest): boolean {
  const credentials = parseCredentials(authorization);
  const offered = toTokenDigest(credentials.kind === 'token' ? credentials.token : '');
  return timingSafeEqual(Buffer.from(offered), Buffer.from(digest));
}
