/**
 * The doors for browsers: where a program gets the greeting or a problem in JSON, a client that prefers
 * pages is led to one. No answer repeats anything of a request: redirects lead to paths that exist, and the
 * page for what is not found is the same for every address.
 */
import type { IncomingMessage } from 'node:http';
import { prefersPage } from '../http/accept.ts';
import type { Reply } from '../http/exchange.ts';
import { toErrorPage, type StaticFiles } from '../http/static-files.ts';
import type { Response } from './answers.ts';
import type { ProblemName } from './problems.ts';

/** The path of the page below `/static/`. It names its parts by whole paths, as it appears anywhere. */
export const NOT_FOUND_PAGE_KEY = 'not-found.html';

/** The fields that pages have besides those of every answer, for the API document. */
export const PAGE_HEADERS = ['Content-Security-Policy', 'Cross-Origin-Opener-Policy', 'Referrer-Policy'];

/** Both carry `Vary: Accept`, in the catalogue of problems. */
const PROBLEMS_WITH_PAGE: readonly ProblemName[] = ['noSuchRoute', 'noSuchFile'];

export function hasPage(problem: ProblemName): boolean {
  return PROBLEMS_WITH_PAGE.includes(problem);
}

/**
 * @param segments - Of the path without `BASE_PATH`; `undefined` outside of it.
 * @returns The way to a folder whose slash was left out, or the page for what is not found; `undefined` for
 *   all other problems and clients.
 */
export function pageInPlaceOf(
  problem: ProblemName,
  { method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  segments: readonly string[] | undefined,
  files: StaticFiles,
): Reply | undefined {
  if (!hasPage(problem) || !['GET', 'HEAD'].includes(method) || !prefersPage(headers.accept)) {
    return undefined;
  }
  const [root, ...path] = segments ?? [];
  if (root === 'static' && files.find([...path, ''].join('/')) !== undefined) {
    return redirect(`/static/${path.map((name) => `${encodeURIComponent(name)}/`).join('')}`);
  }
  const page = files.find(NOT_FOUND_PAGE_KEY);
  return page && { status: 404, ...toErrorPage(page, { 'Vary': 'Accept' }) };
}

/** @param path - Of the service, without `BASE_PATH`. */
export function redirect(path: string): Reply {
  return { status: 302, headers: { 'Location': path, 'Vary': 'Accept' }, body: '' };
}

/** `redirect` in the API document. */
export function redirectResponse(description: string, example: string): Response {
  return { status: 302, description, headers: ['Vary'], headerExamples: { 'Location': example } };
}
