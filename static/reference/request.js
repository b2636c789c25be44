/** A request from the fields of the form: as it is sent, and as text. */
import { toAuthorization, toShownAuthorization } from './credentials.js';

/**
 * Fields that browsers set themselves, whatever a script says (Fetch, "forbidden request-header").
 *
 * @param {{ in: string, name: string }} parameter
 */
export function isLeftToBrowser({ in: place, name }) {
  return place === 'header' && name.toLowerCase() === 'accept-encoding';
}

/**
 * @param {any} operation
 * @param {URL} base - Where the paths of operations begin.
 * @param {ReadonlyMap<any, string>} values - Of parameters; an empty one is not sent.
 * @param {string} body - Empty for none.
 */
export function toRequest(operation, base, values, body) {
  const given = [...values].filter(([, value]) => value !== '');
  /** @returns {[name: string, value: string][]} */
  const of = (place) => given.flatMap(([parameter, value]) => (
    parameter.in === place ? [[parameter.name, value]] : []
  ));
  const pathValues = new Map(of('path'));
  const path = operation.path.replace(
    /\{(\w+)\}/g, (_, name) => toSegments(name, pathValues.get(name) ?? ''),
  );
  const query = new URLSearchParams(of('query')).toString();
  const url = new URL(`.${path}${query && `?${query}`}`, base);
  const headers = [...of('header'), ...(body === '' ? [] : [['Content-Type', 'application/json']])];
  return { operation, method: operation.method, url, headers, body: body === '' ? undefined : body };
}

/** A file may lie in a folder; any other name is one segment, slashes included. */
function toSegments(name, value) {
  const segments = name === 'filename' ? value.split('/') : [value];
  return segments.map(encodeURIComponent).join('/');
}

/**
 * @returns {RequestInit} The options of `fetch`: no credentials of the browser, no dialog of the browser,
 *   nothing from its cache.
 */
export function toFetchOptions({ operation, method, headers, body }) {
  const authorization = toAuthorization(operation);
  return {
    method,
    headers: authorization === undefined ? headers : [['Authorization', authorization], ...headers],
    body,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'manual',
    referrerPolicy: 'no-referrer',
  };
}

/** The request as it is sent, without its secret and the header fields that the browser adds. */
export function toRequestText({ operation, method, url, headers, body }) {
  const authorization = toShownAuthorization(operation);
  return [
    `${method} ${url.pathname}${url.search}`,
    `Host: ${url.host}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['', body]),
  ].join('\n');
}
