/** A request, from what is filled in: as it is sent, as text, and as a line for curl. */
import { toAuthorization, toCurlOption, toShownAuthorization } from './credentials.js';

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
  const of = (place) => given.filter(([parameter]) => parameter.in === place).map(([{ name }, value]) => [name, value]);
  const pathValues = new Map(of('path'));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => toSegments(name, pathValues.get(name) ?? ''));
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

/** What `fetch` is to be told. Browsers shall neither add credentials nor ask for them, nor answer from their cache. */
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

/** The request as it is sent, without its secret and without what the browser adds. */
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

/** A line for a POSIX shell. */
export function toCurl({ operation, method, url, headers, body }) {
  const words = [
    toMethodOption(method, body),
    toCurlOption(operation, quote),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]), // with `-d`, a body that begins with @ would name a file
    quote(url.href),
  ].filter((word) => word !== undefined);
  return `curl ${words.join(' \\\n  ')}`;
}

/** curl sends POST where there is a body, and GET otherwise. */
function toMethodOption(method, body) {
  return method === (body === undefined ? 'GET' : 'POST') ? undefined : `-X ${method}`;
}

/** Plain words stand as they are. */
function quote(text) {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
