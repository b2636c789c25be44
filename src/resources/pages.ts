/**
 * Pages for browsers at wrong addresses. Programs get problems as JSON; a client that prefers pages gets a
 * page or a redirect to one. No response repeats any part of a request: redirects lead to paths that exist,
 * and the not-found page is the same for every address.
 */
import type { IncomingMessage } from 'node:http';
import type { Reply } from '../http/message.ts';
import { prefersPage } from '../http/media-types.ts';
import { toErrorPage, type StaticFiles } from '../http/static-files.ts';
import type { Response } from './answers.ts';
import type { ProblemName } from './problems.ts';

/** The path of the not-found page below `/static/`. Its links are whole paths, as it appears at any depth. */
export const NOT_FOUND_PAGE_KEY = 'not-found.html';

/** The header fields that only pages have, for the API document. */
export const PAGE_HEADERS = ['Content-Security-Policy', 'Cross-Origin-Opener-Policy', 'Referrer-Policy'];

/** The problems for which browsers get a page. In the catalogue, both problems have `Vary: Accept`. */
const PROBLEMS_WITH_PAGE: readonly ProblemName[] = ['noSuchRoute', 'noSuchFile'];

export function hasPage(problem: ProblemName): boolean {
  return PROBLEMS_WITH_PAGE.includes(problem);
}

/**
 * @param segments - The path without `BASE_PATH`; `undefined` outside of `BASE_PATH`.
 * @returns A redirect to a folder whose slash was left out, or the not-found page. `undefined` for all other
 *   problems and clients.
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
  if (root === 'static' && files.get([...path, ''].join('/')) !== undefined) {
    return redirect(`/static/${path.map((name) => `${encodeURIComponent(name)}/`).join('')}`);
  }
  const page = files.get(NOT_FOUND_PAGE_KEY);
  return page && { status: 404, ...toErrorPage(page, { 'Vary': 'Accept' }) };
}

/** @param path - A path of the service, without `BASE_PATH`. */
function redirect(path: string): Reply {
  return { status: 302, headers: { 'Location': path, 'Vary': 'Accept' }, body: '' };
}

/** Describes `redirect` for the API document. */
export function redirectResponse(description: string, example: string): Response {
  return { status: 302, description, headers: ['Vary'], headerExamples: { 'Location': example } };
}
