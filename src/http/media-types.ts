/** The media types of files and of bodies, and the types that a client prefers. */
import { extname } from 'node:path';

/** Types whose second part is the extension of their files. */
const NAMED_ALIKE = [
  'text/html', 'text/css', 'text/csv', 'application/json', 'application/xml', 'application/yaml',
  'application/wasm', 'application/pdf', 'application/zip', 'image/avif', 'image/gif', 'image/jpeg',
  'image/png', 'image/webp', 'video/mp4', 'video/webm', 'font/otf', 'font/ttf', 'font/woff', 'font/woff2',
];

const MEDIA_TYPES = new Map([
  ...NAMED_ALIKE.map((type): [string, string] => [type.replace(/.*\//, '.'), type]),
  ['.htm', 'text/html'], ['.js', 'text/javascript'], ['.mjs', 'text/javascript'], ['.md', 'text/markdown'],
  ['.txt', 'text/plain'], ['.xhtml', 'application/xhtml+xml'], ['.map', 'application/json'],
  ['.webmanifest', 'application/manifest+json'], ['.yml', 'application/yaml'], ['.gz', 'application/gzip'],
  ['.ico', 'image/vnd.microsoft.icon'], ['.jpg', 'image/jpeg'], ['.svg', 'image/svg+xml'],
  ['.mp3', 'audio/mpeg'],
]);

/**
 * Finds the media type by the last extension, never by the content: an attacker who can write to a file must
 * not change its type. Browsers download files of other extensions. Types `text/*` are declared UTF-8. JSON
 * needs no parameter (RFC 8259 §8.1 permits only UTF-8), XML names its encoding inside (RFC 7303 §3).
 */
export function mediaTypeOf(fileName: string): string {
  const type = MEDIA_TYPES.get(extname(fileName).toLowerCase()) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

/**
 * Tells browsers from programs by the `Accept` field, to answer with a page or with JSON. In doubt, it is
 * JSON. When a person opens an address, browsers send `text/html,application/xhtml+xml,…`. Some programs name
 * `text/html` first, such as Java's `HttpURLConnection`, but not XHTML next.
 */
export function prefersPage(accept = ''): boolean {
  return /^text\/html(,application\/xhtml\+xml|$)/i.test(accept);
}

/** True for `application/json` and every type with the suffix `+json` (RFC 6839 §3.1), parameters ignored. */
export function isJsonMediaType(contentType: string): boolean {
  const [type = ''] = contentType.split(';');
  return /^(application\/json|[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json)$/i.test(type.trim());
}
