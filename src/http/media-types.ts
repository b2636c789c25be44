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

/** The facts needed to send a file of a media type. */
interface MediaType {
  /** The value of `Content-Type`. */
  readonly contentType: string;
  /** False for formats that are compressed already, where coding only takes time. */
  readonly isCompressible: boolean;
  /** True when a browser opens it as a page of our origin, and would run its scripts. */
  readonly isDocument: boolean;
}

const MEDIA_TYPES: ReadonlyMap<string, MediaType> = new Map([
  ['.html', document('text/html; charset=utf-8')],
  ['.htm', document('text/html; charset=utf-8')],
  ['.xhtml', document('application/xhtml+xml')],
  ['.xml', document('application/xml')],
  ['.svg', document('image/svg+xml')],

  ['.css', compressible('text/css; charset=utf-8')],
  ['.csv', compressible('text/csv; charset=utf-8')],
  ['.js', compressible('text/javascript; charset=utf-8')],
  ['.md', compressible('text/markdown; charset=utf-8')],
  ['.mjs', compressible('text/javascript; charset=utf-8')],
  ['.txt', compressible('text/plain; charset=utf-8')],
  ['.yaml', compressible('application/yaml')],
  ['.yml', compressible('application/yaml')],
  ['.json', compressible('application/json')],
  ['.map', compressible('application/json')],
  ['.webmanifest', compressible('application/manifest+json')],
  ['.ico', compressible('image/vnd.microsoft.icon')],
  ['.otf', compressible('font/otf')],
  ['.ttf', compressible('font/ttf')],
  ['.wasm', compressible('application/wasm')],

  ['.avif', compressed('image/avif')],
  ['.gif', compressed('image/gif')],
  ['.gz', compressed('application/gzip')],
  ['.jpeg', compressed('image/jpeg')],
  ['.jpg', compressed('image/jpeg')],
  ['.mp3', compressed('audio/mpeg')],
  ['.mp4', compressed('video/mp4')],
  ['.pdf', compressed('application/pdf')],
  ['.png', compressed('image/png')],
  ['.webm', compressed('video/webm')],
  ['.webp', compressed('image/webp')],
  ['.woff', compressed('font/woff')],
  ['.woff2', compressed('font/woff2')],
  ['.zip', compressed('application/zip')],
]);

/** Content of an unknown kind is not coded, because it may be compressed already. */
const UNKNOWN = compressed('application/octet-stream');

/** Finds the media type of a file by the last extension of its name, case ignored. */
export function mediaTypeOf(fileName: string): MediaType {
  return MEDIA_TYPES.get(extname(fileName).toLowerCase()) ?? UNKNOWN;
}

function document(contentType: string): MediaType {
  return { contentType, isCompressible: true, isDocument: true };
}

function compressible(contentType: string): MediaType {
  return { contentType, isCompressible: true, isDocument: false };
}

function compressed(contentType: string): MediaType {
  return { contentType, isCompressible: false, isDocument: false };
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
