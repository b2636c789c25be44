/** Formats requests as curl commands for a POSIX shell, with shell variables in place of secrets. */

/** @typedef {readonly (readonly [name: string, value: string])[]} Headers */

export const BEARER = '-H "Authorization: Bearer $token"';
export const BASIC = '-u "$username:$password"';

/**
 * @param {object} request
 * @param {string} request.method
 * @param {string} request.url
 * @param {string | undefined} request.credentials - `BEARER` or `BASIC`.
 * @param {Headers} request.headers
 * @param {string | undefined} request.body - Already quoted for the shell.
 */
export function toCurl({ method, url, credentials, headers, body }) {
  const words = [
    method !== (body === undefined ? 'GET' : 'POST') && `-X ${method}`, // curl chooses GET or POST by itself
    credentials,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    body !== undefined && `--data-raw ${body}`, // with `-d`, a body that begins with @ would name a file
    quote(url),
  ];
  return `curl ${words.filter(Boolean).join(' \\\n  ')}`;
}

/** @param {string} text */
export function quote(text) {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * @param {Readonly<Record<string, unknown>>} body - A shell variable replaces each password. The variable is
 *   outside of the quotes, so the shell expands the variable.
 */
export function quoteJson(body) {
  const text = JSON.stringify(body, (name, value) => (/password$/.test(name) ? '' : value), 2);
  return quote(text).replace(/(\w*password)": ""/g, `$1": "'"$$$1"'"`);
}
