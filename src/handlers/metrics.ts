/** `/metrics`, which is there when the setting `METRICS` says so. */
import { timingSafeEqual } from 'node:crypto';
import { parseCredentials } from '../auth/credentials.ts';
import { toTokenDigest } from '../auth/token.ts';
import type { HttpRequest, Reply } from '../http/exchange.ts';
import { problems } from '../problems.ts';
import { METRICS_MEDIA_TYPE, toPrometheusText } from '../telemetry/metrics.ts';
import type { Services } from './services.ts';

export async function reportMetrics({ metrics }: Services, { headers }: HttpRequest): Promise<Reply> {
  if (!metrics.isServed) {
    throw problems.notFound('resource');
  }
  if (metrics.token !== undefined && !isToken(headers.authorization, metrics.token)) {
    throw problems.unauthenticated();
  }
  return { status: 200, headers: { 'Content-Type': METRICS_MEDIA_TYPE }, body: toPrometheusText(await metrics.collect()) };
}

/** Digests are compared, which are of the same length whatever was sent. */
function isToken(authorization: string | undefined, token: string): boolean {
  const credentials = parseCredentials(authorization);
  const [offered, expected] = [credentials.kind === 'token' ? credentials.token : '', token].map((text) => Buffer.from(toTokenDigest(text)));
  return offered !== undefined && expected !== undefined && timingSafeEqual(offered, expected);
}
