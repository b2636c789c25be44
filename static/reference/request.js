/** Converts the fields of a form to a request for `fetch`. */
import { toAuthorization } from './credentials.js';

/**
 * @param {any} operation
 * @param {URL} base
 * @param {readonly { in: string, name: string, value: string }[]} parameters - Empty values are not sent.
 * @param {string} body - An empty body is not sent.
 */
export function toRequest(operation, base, parameters, body) {
  const given = parameters.filter(({ value }) => value !== '');
  /** @returns {[name: string, value: string][]} */
  const of = (place) => given.filter((each) => each.in === place).map(({ name, value }) => [name, value]);
  const inPath = new Map(of('path'));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => toSegments(name, inPath.get(name) ?? ''));
  const query = new URLSearchParams(of('query')).toString();
  const url = new URL(`.${path}${query && `?${query}`}`, base);
  const headers = [...of('header'), ...(body === '' ? [] : [['Content-Type', operation.body.mediaType]])];
  return { operation, method: operation.method, url, headers, body: body === '' ? undefined : body };
}

/** A slash separates path segments only in the parameter `filename`. */
function toSegments(name, value) {
  const segments = name === 'filename' ? value.split('/') : [value];
  return segments.map(encodeURIComponent).join('/');
}

/** With `credentials: 'omit'`, the browser opens no password dialog after a 401. @returns {RequestInit} */
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
