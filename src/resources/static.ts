/** Serves the files of the folder `static`, and generated files, at `/static/`. */
import { operation } from '../api/operation.ts';
import { refuse } from '../api/problems.ts';
import type { Services } from '../api/services.ts';
import { evaluatePreconditions } from '../http/conditional.ts';
import type { HttpRequest } from '../http/message.ts';
import { PAGE_HEADERS } from '../http/static-files.ts';

/** The page for a missing file repeats no text from the request, because such text could contain a script. */
export const NOT_FOUND_PAGE_KEY = 'not-found.html';

export const staticOperations = {
  readStaticFile: operation({
    method: 'GET',
    path: '/static/{filename}',
    rest: true,
    access: 'public',
    refuses: ['noSuchFile', 'rangeNotSatisfiable', 'preconditionFailed'],
    async handle(services, { path: { filename: key }, request }) {
      return services.staticFiles.has(key) || !prefersPage(request.headers.accept)
        ? answerFile(services, key, request)
        : answerBrowser(services, key);
    },
  }),
};

/** `x-gzip` is an old name of `gzip` (RFC 9110 §8.4.1.3). */
const ACCEPTS_GZIP = /(^|,)\s*(x-)?gzip\s*(?=$|,|;)(?!;\s*q=0(\.0*)?\s*($|,))/i;

/**
 * Ranges always select uncompressed bytes, so that clients can join the parts of a file. A request for
 * several ranges gets the whole file (RFC 9110 §14.2), so thousands of ranges (CVE-2011-3192) cost little.
 */
export async function answerFile({ staticFiles }: Services, key: string, request: HttpRequest) {
  const file = await staticFiles.get(key)?.();
  if (file === undefined) {
    return refuse('noSuchFile');
  }
  const { range: asked = '', 'if-range': ifRange, 'accept-encoding': accepted = '' } = request.headers;
  const range = request.method === 'GET' ? asked : ''; // ranges apply only to GET (RFC 9110 §14.2)
  const { body, always, withContent } =
    (range === '' && ACCEPTS_GZIP.test(accepted) && file.gzip) || file.plain;
  const outcome = evaluatePreconditions(request, always.ETag);
  if (outcome !== 'proceed') {
    return outcome === 'not-modified'
      ? { status: 304, headers: always, body: '' }
      : refuse('preconditionFailed');
  }
  const headers = { ...always, ...withContent };
  const size = body.length;
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? [];
  // The range `-5` means the last five bytes. Numbers above 2^53 are rounded, but keep their order.
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  const isReversed = from !== '' && to !== '' && Number(to) < Number(from);
  // A date in `If-Range` (RFC 9110 §13.1.5) never matches, because files have no dates.
  const isStale = ifRange !== undefined && ifRange !== always.ETag;
  if (from + to === '' || isReversed || size === 0 || isStale) {
    return { status: 200, headers, body };
  }
  return first > last ? refuse('rangeNotSatisfiable', size) : {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${first}-${last}/${size}` },
    body: body.subarray(first, last + 1),
  };
}

/**
 * In `Accept`, browsers name HTML first and XHTML second. Some programs, such as Java's `HttpURLConnection`,
 * name HTML first, but do not name XHTML.
 */
export function prefersPage(accept = ''): boolean {
  return /^text\/html(,application\/xhtml\+xml|$)/i.test(accept);
}

/** Redirects a browser to a folder if the path lacks the final slash. */
async function answerBrowser({ staticFiles }: Services, key: string) {
  if (staticFiles.has(`${key}/`)) {
    const location = `/static/${key.split('/').map(encodeURIComponent).join('/')}/`;
    return { status: 302, headers: { 'Location': location, 'Vary': 'Accept' }, body: '' };
  }
  const page = await staticFiles.get(NOT_FOUND_PAGE_KEY)?.();
  const headers = { ...PAGE_HEADERS, 'Content-Type': 'text/html; charset=utf-8', 'Vary': 'Accept' };
  return page ? { status: 404, headers, body: page.plain.body } : refuse('noSuchFile');
}
