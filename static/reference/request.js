/** Builds a request from the fields of the form, as options for `fetch` and as text. */
import { toAuthorization, toShownAuthorization } from './credentials.js';

/**
 * @param {any} operation
 * @param {URL} base - The URL to which the paths of operations are appended.
 * @param {ReadonlyMap<any, string>} values - The values of parameters; empty values are not sent.
 * @param {string} body - If empty, no body is sent.
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
  const contentType = operation.body?.mediaType ?? 'application/json';
  const headers = [...of('header'), ...(body === '' ? [] : [['Content-Type', contentType]])];
  return { operation, method: operation.method, url, headers, body: body === '' ? undefined : body };
}

/** A file name is split at slashes, into folders. Any other value is one segment, even with slashes. */
function toSegments(name, value) {
  const segments = name === 'filename' ? value.split('/') : [value];
  return segments.map(encodeURIComponent).join('/');
}

/**
 * @returns {RequestInit} The options of `fetch`. The browser adds no credentials, opens no dialog, and does
 *   not use its cache.
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
