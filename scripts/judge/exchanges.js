/**
 * Reads the exchanges that `test/support/recording.ts` recorded, and tells which of them prism cannot judge.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {object} Exchange
 * @property {string} method
 * @property {string} target
 * @property {Record<string, string | string[]>} fields
 * @property {string | null} content - In base64.
 * @property {number} status
 * @property {Record<string, string | string[]>} headers
 * @property {string} bytes - In base64.
 */

/**
 * @param {string} folder - The folder of the recordings.
 * @returns {readonly { document: string, basePath: string, exchanges: readonly Exchange[] }[]} By document.
 */
export function readExchanges(folder) {
  const read = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8');
  const files = readdirSync(folder);
  return files.filter((file) => file.endsWith('.json')).map((file) => {
    const recordings = files.filter((other) => other.startsWith(`${file.replace('.json', '')}-`));
    return {
      document: join(folder, file),
      basePath: JSON.parse(read(file)).servers[0].url.replace(/\/$/, ''),
      exchanges: recordings.flatMap((name) => JSON.parse(`[${read(name).trimEnd().replaceAll('\n', ',')}]`)),
    };
  });
}

/**
 * The reasons why prism cannot judge an exchange: OpenAPI cannot describe it, or prism cannot pass it on. The
 * tests still compare its answer with the document (`test/support/api-document.ts`).
 *
 * @type {readonly (readonly [reason: string, applies: (exchange: Exchange, basePath: string) => boolean])[]}
 */
const REASONS = [
  ['HEAD, which prism does not pass on', ({ method }) => method === 'HEAD'],
  [
    'OPTIONS and other methods, which the document describes in words',
    ({ method, target }) =>
      method === 'OPTIONS' ? !/\/(index)?$/.test(target) : !/^(GET|POST|PUT|PATCH|DELETE)$/.test(method),
  ],
  ['redirects, which prism follows instead of passing them on', ({ status }) => status === 302],
  ['the target "//", which prism cannot parse', ({ target }) => target.startsWith('//')],
  ['paths outside of BASE_PATH', ({ target }, base) => target !== base && !target.startsWith(`${base}/`)],
  [
    '/static/ and its sub-directories, as no parameter of OpenAPI is empty or has a slash',
    ({ target }) => /\/static\/(.*\/.*)?$/.test(target),
  ],
  [
    'parts of JSON, which prism wants whole',
    ({ status, target }) => status === 206 && /\.json(\?|$)/.test(target),
  ],
  [
    'GET with content, which prism does not pass on',
    ({ method, content }) => method === 'GET' && content !== null,
  ],
  [
    'content that the service does not read',
    ({ target, content }) => /\/api\/v1\/token(\?|$)/.test(target) && content !== null,
  ],
  [
    'content of a malformed type, at which prism fails',
    ({ fields: { 'Content-Type': type } }) => typeof type === 'string' && !/^[^/]+\/[^/]+$/.test(type),
  ],
  [
    'malformed JSON, which prism answers itself, or in some releases never',
    ({ fields: { 'Content-Type': type }, content }) =>
      content !== null && /json/i.test(String(type)) && !isJson(content),
  ],
  [
    'JSON without a type, or with another than application/json',
    ({ fields: { 'Content-Type': type }, content }) =>
      content !== null && /^(undefined|.*\+json)$/.test(String(type)),
  ],
  [
    'Basic with no colon or several, which prism refuses',
    ({ fields }) => {
      const [, credentials] = /^Basic (.*)/i.exec(String(fields['Authorization'])) ?? [];
      const parts = Buffer.from(credentials ?? '', 'base64').toString().split(':');
      return credentials !== undefined && parts.length !== 2;
    },
  ],
];

/**
 * @param {Exchange} exchange
 * @param {string} basePath
 * @returns {string | undefined} Why prism cannot judge the exchange.
 */
export function findReason(exchange, basePath) {
  return REASONS.find(([, applies]) => applies(exchange, basePath))?.[0];
}

/** @param {string} content - In base64. */
function isJson(content) {
  try {
    JSON.parse(Buffer.from(content, 'base64').toString());
    return true;
  } catch {
    return false;
  }
}
