/**
 * The greeting and the probes. Only readiness queries the database, so that a database outage causes no
 * restarts.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { preflightHeaders } from '../http/cross-origin.ts';
import { jsonReply } from '../http/exchange.ts';
import { prefersPage } from '../http/media-types.ts';
import { constant, type Answers } from './answers.ts';
import { operation } from './operation.ts';
import { redirect, redirectResponse } from './pages.ts';
import { refuse } from './problems.ts';

const GREETING = { message: 'Rollcall is running' };
const greeting = constant('The service runs.', GREETING, { 'Vary': 'Accept' });
/** The landing page is a redirect, because its links are relative to `/static/`. */
const landing = redirect('/static/');
const greetingOrLanding: Answers<void> = {
  responses: [
    ...greeting.responses,
    redirectResponse('To the landing page, for clients that prefer `text/html` to JSON.', '/static/'),
  ],
  reply: (result, request) => prefersPage(request.headers.accept) ? landing : greeting.reply(result, request),
};
/** The specification wants `OPTIONS` to answer like `GET` here; it answers preflights as well. */
const preflight = (headers: IncomingHttpHeaders) => preflightHeaders(['GET', 'HEAD', 'OPTIONS'], headers);
const greetingWithOptions: Answers<void> = {
  ...constant('The service runs.', GREETING, preflight({})),
  reply: (_, { headers }) => jsonReply(200, GREETING, preflight(headers)),
};

function greet<const Path extends '/' | '/index'>(
  method: 'GET' | 'OPTIONS',
  path: Path,
  answers: Answers<void>,
) {
  return operation({
    method,
    path,
    access: 'public',
    tag: 'Service',
    summary: method === 'GET' ? 'Get a greeting' : 'Get a greeting and answer a preflight',
    description: 'Confirms that the service runs.',
    answers,
    handle: () => undefined,
  });
}

export const statusOperations = {
  greet: greet('GET', '/', greetingOrLanding),
  greetWithOptions: greet('OPTIONS', '/', greetingWithOptions),
  greetAtIndex: greet('GET', '/index', greetingOrLanding),
  greetAtIndexWithOptions: greet('OPTIONS', '/index', greetingWithOptions),

  reportLiveness: operation({
    method: 'GET',
    path: '/livez',
    access: 'public',
    tag: 'Service',
    summary: 'Check that the process responds',
    description:
      'Depends on nothing else, so that no outage elsewhere makes an orchestrator restart the process.',
    answers: constant('The process responds.', { status: 'live' }),
    handle: () => undefined,
  }),

  reportReadiness: operation({
    method: 'GET',
    path: '/readyz',
    access: 'public',
    tag: 'Service',
    summary: 'Check that the service can take requests',
    description: 'For load balancers. The database is queried once a second, for any number of requests.',
    answers: constant('The service is ready.', { status: 'ready' }),
    refuses: ['notReady'],
    async handle({ lifeCycle, checkReadiness }) {
      // A slow database must not delay the shutdown.
      const failedChecks = lifeCycle.isEnding ? ['draining'] : await checkReadiness();
      return failedChecks.length > 0 ? refuse('notReady', failedChecks) : undefined;
    },
  }),
};
