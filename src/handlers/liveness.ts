/** `/` and `/index` */
import { toPreflightHeaders } from '../http/cors.ts';
import { jsonReply, type Reply } from '../http/exchange.ts';

const GREETING = jsonReply(200, { message: 'Rollcall is running' });
const GREETING_WITH_OPTIONS = { ...GREETING, headers: { ...GREETING.headers, ...toPreflightHeaders(['GET', 'HEAD', 'OPTIONS']) } };

export function greet(): Reply {
  return GREETING;
}

/** The specification has `OPTIONS` answer like `GET` here; it answers preflights as well. */
export function greetWithOptions(): Reply {
  return GREETING_WITH_OPTIONS;
}
