/** The media types of files and of bodies, and the types that a client prefers. */
import { extname } from 'node:path';

/** Media types whose second part is also the extension of a file. */
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
 * Finds the media type by the last extension of the name, never by the content: an attacker who controls the
 * content of a file must not control its type. Browsers download files with an unknown extension. Types
 * `text/*` are declared UTF-8. JSON is always UTF-8 (RFC 8259 §8.1), and XML names its encoding in the
 * content (RFC 7303 §3).
 */
export function mediaTypeOf(fileName: string): string {
  const type = MEDIA_TYPES.get(extname(fileName).toLowerCase()) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

/**
 * True if the client is a browser that opens an address. Browsers then send `text/html,application/xhtml+xml`
 * first. Some programs, such as Java's `HttpURLConnection`, also send `text/html` first, but not XHTML next.
 * They get JSON, as does every client that may be a program.
 */
export function prefersPage(accept = ''): boolean {
  return /^text\/html(,application\/xhtml\+xml|$)/i.test(accept);
}

/** True for `application/json` and types with the suffix `+json` (RFC 6839 §3.1). Ignores parameters. */
export function isJsonMediaType(contentType: string): boolean {
  const [type = ''] = contentType.split(';');
  return /^(application\/json|[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json)$/i.test(type.trim());
}
