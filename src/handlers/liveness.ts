/**
 * `/`, `/index` and `/livez`: the process is there and answers. Nothing else is asked, so that no outage elsewhere restarts
 * it.
 */
import { toPreflightHeaders } from '../http/cors.ts';
import { jsonReply, type Reply } from '../http/exchange.ts';

const GREETING = jsonReply(200, { message: 'Rollcall is running' });
const GREETING_WITH_OPTIONS = { ...GREETING, headers: { ...GREETING.headers, ...toPreflightHeaders(['GET', 'HEAD', 'OPTIONS']) } };

const LIVE = jsonReply(200, { status: 'live' });

export function greet(): Reply {
  return GREETING;
}

/** The specification has `OPTIONS` answer like `GET` here; it answers preflights as well. */
export function greetWithOptions(): Reply {
  return GREETING_WITH_OPTIONS;
}

export function reportLiveness(): Reply {
  return LIVE;
}
