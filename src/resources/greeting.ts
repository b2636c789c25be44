/** The greeting, which confirms that the service runs, as specified. */
import type { IncomingHttpHeaders } from 'node:http';
import { constant, type Answers } from '../api/answers.ts';
import { operation } from '../api/operation.ts';
import { preflightHeaders } from '../http/cross-origin.ts';
import { prefersPage } from '../http/media-types.ts';
import { jsonReply } from '../http/message.ts';

const GREETING = { message: 'Rollcall is running' };

/**
 * The greeting is JSON for every client, because it is the liveness route. Browsers reach the landing page
 * all the same, as `Refresh` opens it.
 */
function greeting(basePath: string): Answers<void> {
  const landing = `${basePath}/static/`;
  const forAll = { 'Vary': 'Accept', 'Link': `<${landing}>; rel="alternate"; type="text/html"` };
  const forPrograms = jsonReply(200, GREETING, forAll);
  const forBrowsers = jsonReply(200, GREETING, { ...forAll, 'Refresh': `0; url=${landing}` });
  const documented = {
    headers: ['Vary', 'Refresh'], headerExamples: { 'Link': '</static/>; rel="alternate"; type="text/html"' },
  };
  return {
    responses: constant('The service runs.', GREETING).responses.map((it) => ({ ...it, ...documented })),
    reply: (_, { headers }) => prefersPage(headers.accept) ? forBrowsers : forPrograms,
  };
}

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

/** @param basePath - A prefix such as `/rollcall`; absent without a prefix. */
export function statusOperations({ basePath = '' }: { readonly basePath?: string | undefined }) {
  const greetingForAll = greeting(basePath);
  return {
    greet: greet('GET', '/', greetingForAll),
    greetWithOptions: greet('OPTIONS', '/', greetingWithOptions),
    greetAtIndex: greet('GET', '/index', greetingForAll),
    greetAtIndexWithOptions: greet('OPTIONS', '/index', greetingWithOptions),
  };
}
