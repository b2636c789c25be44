/** `/metrics`, which exists only while the setting `METRICS` is `on`. */
import { toTokenDigest } from '../../auth/token.ts';
import { text } from '../../jsonschema/typed.ts';
import { operation, type Access } from '../../resources/operation.ts';
import { METRICS_MEDIA_TYPE, toPrometheusText, type Metric } from './metrics.ts';

const EXAMPLE =
  '# HELP http_server_active_requests Requests without a response yet.\n' +
  '# TYPE http_server_active_requests gauge\nhttp_server_active_requests 1\n';

/**
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
        reply: (body: string) => ({ status: 200, headers: { 'Content-Type': METRICS_MEDIA_TYPE }, body }),
      },
      handle: async () => toPrometheusText(await collect()),
    }),
  };
}
