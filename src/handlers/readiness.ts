/** `/readyz` */
import { jsonReply, type HttpRequest, type Reply } from '../http/exchange.ts';
import type { Services } from './services.ts';

const READY = jsonReply(200, { status: 'ready' });

/** Asks the database something; when it does not answer in time, that is the 503 of every other request as well. */
export async function reportReadiness({ users }: Services, _request: HttpRequest): Promise<Reply> {
  await users.hasAdministrator();
  return READY;
}
