/** The greeting, which confirms that the service runs. */
import { operation } from '../api/operation.ts';
import { words } from '../api/replies.ts';
import { preflightHeaders } from '../http/cross-origin.ts';
import { prefersPage } from '../http/media-types.ts';
import type { HttpRequest, Reply } from '../http/message.ts';

const GREETING = { message: 'Rollcall is running' };

const greet = (
  method: 'GET' | 'OPTIONS', path: string, headersOf: (request: HttpRequest) => Reply['headers'],
) => operation({ method, path, access: 'public', replies: words(GREETING, headersOf), handle: () => {} });

export function greetingOperations({ basePath = '' }: { readonly basePath?: string | undefined }) {
  const landing = `${basePath}/static/`;
  const forAll = { 'Vary': 'Accept', 'Link': `<${landing}>; rel="alternate"; type="text/html"` };
  // Browsers get JSON, too, and `Refresh` sends them to the landing page.
  const door = ({ headers }: HttpRequest) =>
    prefersPage(headers.accept) ? { ...forAll, 'Refresh': `0; url=${landing}` } : forAll;
  // As specified, the response to `OPTIONS` has the same body as the response to `GET`. The header fields of
  // the response to `OPTIONS` answer preflights.
  const preflight = ({ headers }: HttpRequest) => preflightHeaders(['GET', 'HEAD', 'OPTIONS'], headers);
  return {
    greet: greet('GET', '/', door),
    greetWithOptions: greet('OPTIONS', '/', preflight),
    greetAtIndex: greet('GET', '/index', door),
    greetAtIndexWithOptions: greet('OPTIONS', '/index', preflight),
  };
}
