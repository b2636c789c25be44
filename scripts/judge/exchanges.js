/** Recorded exchanges, as `test/support/recording.ts` writes them, and which of them prism cannot judge. */
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
 * @param {string} folder - What was recorded.
 * @returns {readonly { document: string, basePath: string, exchanges: readonly Exchange[] }[]} By document.
 */
export function readExchanges(folder) {
  const files = readdirSync(folder);
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const document = join(folder, file);
      const recordings = files.filter((other) => other.startsWith(`${file.replace('.json', '')}-`));
      const lines = recordings.flatMap((recording) => readFileSync(join(folder, recording), 'utf8').trimEnd().split('\n'));
      const basePath = JSON.parse(readFileSync(document, 'utf8')).servers[0].url.replace(/\/$/, '');
      return { document, basePath, exchanges: lines.map((line) => JSON.parse(line)) };
    });
}

/**
 * What the service takes and answers, but OpenAPI or prism cannot say or pass on. `test/support/api-document.ts` holds the
 * answers to these, too, against the document.
 *
 * @type {readonly (readonly [reason: string, applies: (exchange: Exchange, basePath: string) => boolean])[]}
 */
const REASONS = [
  ['HEAD, which prism does not pass on', ({ method }) => method === 'HEAD'],
  [
    'OPTIONS and other methods, which the document has in words',
    ({ method, target }) =>
      (method === 'OPTIONS' && !/\/(index)?$/.test(target)) || !/^(GET|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method),
  ],
  ['paths outside of BASE_PATH', ({ target }, basePath) => target !== basePath && !target.startsWith(`${basePath}/`)],
  [
    '/static/ and what lies deeper, as no parameter of OpenAPI is empty or has a slash',
    ({ target }) => /\/static\/(.*\/.*)?$/.test(target),
  ],
  ['parts of JSON, which prism wants whole', ({ status, target }) => status === 206 && /\.json(\?|$)/.test(target)],
  ['GET with content, which prism does not pass on', ({ method, content }) => method === 'GET' && content !== null],
  ['content that nobody reads', ({ target, content }) => /\/api\/v1\/token(\?|$)/.test(target) && content !== null],
  [
    'content of a type that is none, at which prism fails',
    ({ fields }) => typeof fields['Content-Type'] === 'string' && !/^[^/]+\/[^/]+$/.test(fields['Content-Type']),
  ],
  [
    'malformed JSON, which prism answers itself or, by release, never',
    ({ fields, content }) => content !== null && /json/i.test(String(fields['Content-Type'])) && !isJson(content),
  ],
  [
    'JSON without a type, or with another than application/json',
    ({ fields, content }) => content !== null && /^(undefined|.*\+json)$/.test(String(fields['Content-Type'])),
  ],
  [
    'Basic with no colon or several, which prism refuses',
    ({ fields }) => {
      const [, credentials] = /^Basic (.*)/i.exec(String(fields['Authorization'])) ?? [];
      return credentials !== undefined && Buffer.from(credentials, 'base64').toString().split(':').length !== 2;
    },
  ],
];

/**
 * @param {Exchange} exchange
 * @param {string} basePath
 * @returns {string | undefined} Why prism cannot judge it.
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
