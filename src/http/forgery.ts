/**
 * Refuses cross-site request forgery: a browser that remembers Basic credentials attaches them to every
 * request that a page of another origin triggers.
 *
 * For most requests the browser first asks the service (a preflight, Fetch §4.8). It then leaves remembered
 * credentials out, because the service never allows credentials mode. Only requests that a form can make skip
 * the preflight, and no form can add a header field or declare JSON. So an added field or declared JSON
 * proves that a script supplied the credentials itself.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isJsonMediaType } from './body.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** @param allowedOrigin - The origin that operators trust; `*` names no origin. */
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
 * Browsers set `Sec-Fetch-Site` themselves, so it is right even if proxies change `Host`. `same-site` means
 * another origin, such as a neighbouring subdomain. Old browsers, and browsers on plain HTTP, leave the field
 * out; then `Origin` decides. Programs send neither field.
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
