/** `/readyz` */
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import { problems } from '../problems.ts';
import type { Services } from './services.ts';

const READY = jsonReply(200, { status: 'ready' });

/** A process that is ending says so at once, whatever its database does. */
export async function reportReadiness({ lifeCycle, checkReadiness }: Services, _request: HttpRequest): Promise<Reply> {
  const failedChecks = lifeCycle.isEnding ? ['draining'] : await checkReadiness();
  if (failedChecks.length > 0) {
    throw problems.notReady(failedChecks);
  }
  return READY;
}
