/**
 * Cross-site request forgery: a browser that remembers Basic credentials attaches them to what pages of other
 * origins make it send, without a body too.
 *
 * For most requests the browser asks the service first (a preflight, Fetch §4.8) and then leaves remembered
 * credentials out, because the service never allows credentials mode. Only what a form can send goes out
 * unasked, and no form can add a field or declare JSON. So one of these two shows that a script put the
 * credentials there itself.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isJsonMediaType } from './body.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** @param allowedOrigin - The origin that operators trust; `*` names none. */
export function mayBeForged({ method = '', headers }: IncomingMessage, allowedOrigin: string): boolean {
  return (
    !SAFE_METHODS.has(method) &&
    /^basic /i.test(headers.authorization ?? '') &&
    headers['x-requested-with'] === undefined &&
    !isJsonMediaType(headers['content-type'] ?? '') &&
    isFromOtherOrigin(headers, allowedOrigin)
  );
}

/**
 * Browsers set `Sec-Fetch-Site` themselves, whatever proxies make of `Host`; `same-site` is another origin,
 * such as a neighbouring subdomain. Without that field (old browsers, plain HTTP) only `Origin` tells.
 * Programs send neither.
 */
function isFromOtherOrigin(headers: IncomingHttpHeaders, allowedOrigin: string): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin === allowedOrigin) {
    return false;
  }
  if (site !== undefined) {
    return site !== 'same-origin' && site !== 'none';
  }
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== host?.toLowerCase();
}
