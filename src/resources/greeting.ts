/** The greeting tells clients that the service runs. */
import { operation } from '../api/operation.ts';
import { words } from '../api/replies.ts';
import { preflightHeaders } from '../http/cross-origin.ts';
import type { Headers, HttpRequest } from '../http/message.ts';
import { prefersPage } from './static.ts';

const GREETING = { message: 'Rollcall is running' };

type HeadersOf = (request: HttpRequest) => Headers;

const greet = (method: 'GET' | 'OPTIONS', path: string, headersOf: HeadersOf) =>
  operation({ method, path, access: 'public', replies: words(GREETING, headersOf), handle: async () => {} });

export function greetingOperations({ basePath = '' }: { readonly basePath?: string | undefined }) {
  const landing = `${basePath}/static/`;
  const forAll = { 'Vary': 'Accept', 'Link': `<${landing}>; rel="alternate"; type="text/html"` };
  // Browsers also get JSON. The header field `Refresh` sends browsers to the landing page.
  const door: HeadersOf = ({ headers }) =>
    prefersPage(headers.accept) ? { ...forAll, 'Refresh': `0; url=${landing}` } : forAll;
  // As specified, `OPTIONS` returns the same body as `GET`. `OPTIONS` also answers CORS preflights.
  const preflight: HeadersOf = ({ headers }) => preflightHeaders(['GET', 'HEAD', 'OPTIONS'], headers);
  return {
    greet: greet('GET', '/', door),
    greetWithOptions: greet('OPTIONS', '/', preflight),
    greetAtIndex: greet('GET', '/index', door),
    greetAtIndexWithOptions: greet('OPTIONS', '/index', preflight),
  };
}
