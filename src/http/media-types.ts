/**
 * Media types: that of a file, by the extension of its name, and whether a client is a browser.
 *
 * Covers the parts of web pages; any other file is `application/octet-stream`, which browsers download
 * instead of interpreting. Never looks into the content: an attacker who can write to a file must not change
 * its type.
 *
 * Types `text/*` are declared UTF-8. JSON needs no parameter (RFC 8259 §8.1 permits only UTF-8), XML names
 * its encoding inside (RFC 7303 §3).
 */
import { extname } from 'node:path';

const MEDIA_TYPES = new Map(Object.entries({
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.xhtml': 'application/xhtml+xml',
  '.xml': 'application/xml',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.wasm': 'application/wasm',
  '.pdf': 'application/pdf',
  '.gz': 'application/gzip',
  '.zip': 'application/zip',
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.ico': 'image/vnd.microsoft.icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.otf': 'font/otf',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}));

/** Finds the media type of a file by the last extension of its name, case ignored. */
export function mediaTypeOf(fileName: string): string {
  return MEDIA_TYPES.get(extname(fileName).toLowerCase()) ?? 'application/octet-stream';
}

/** True for types that a browser opens as a page of our origin, whose scripts it would run. */
export function isDocument(mediaType: string): boolean {
  return /html|xml/.test(mediaType);
}

/**
 * Browsers begin `Accept` so when a person opens an address. Programs do not: some name `text/html` first,
 * such as Java's `HttpURLConnection`, but not XHTML.
 */
const OF_BROWSERS = /^text\/html(,application\/xhtml\+xml|$)/i;

/**
 * Tells browsers from programs by the `Accept` field, to answer with a page or with JSON. In doubt, it is
 * JSON.
 *
 * @param accept - The field as received; absent when the request has none.
 */
export function prefersPage(accept: string | undefined): boolean {
  return OF_BROWSERS.test(accept ?? '');
}

/** True for `application/json` and every type with the suffix `+json` (RFC 6839 §3.1), parameters ignored. */
export function isJsonMediaType(contentType: string): boolean {
  const [type = ''] = contentType.split(';');
  return /^(application\/json|[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json)$/i.test(type.trim());
}
