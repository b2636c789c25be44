/** The media types of files and of bodies, and the types that a client prefers. */
import { extname } from 'node:path';

const MEDIA_TYPES = new Map(Object.entries({
  html: 'text/html', htm: 'text/html', xhtml: 'application/xhtml+xml', css: 'text/css', txt: 'text/plain',
  js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm', json: 'application/json',
  map: 'application/json', webmanifest: 'application/manifest+json', xml: 'application/xml',
  yaml: 'application/yaml', csv: 'text/csv', md: 'text/markdown', pdf: 'application/pdf',
  zip: 'application/zip', gz: 'application/gzip', svg: 'image/svg+xml', png: 'image/png', gif: 'image/gif',
  jpg: 'image/jpeg', jpeg: 'image/jpeg', webp: 'image/webp', avif: 'image/avif',
  ico: 'image/vnd.microsoft.icon', mp3: 'audio/mpeg', mp4: 'video/mp4', webm: 'video/webm',
  woff: 'font/woff', woff2: 'font/woff2',
}));

/** A file's name decides its media type. The content is ignored, because content can imitate any type. */
export function mediaTypeOf(fileName: string): string {
  const type = MEDIA_TYPES.get(extname(fileName).slice(1).toLowerCase()) ?? 'application/octet-stream';
  // JSON is always UTF-8 (RFC 8259 §8.1), and XML names its own encoding (RFC 7303 §3).
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

/**
 * In `Accept`, browsers name HTML first and XHTML second. Some programs, such as Java's `HttpURLConnection`,
 * name HTML first, but do not name XHTML.
 */
export function prefersPage(accept = ''): boolean {
  return /^text\/html(,application\/xhtml\+xml|$)/i.test(accept);
}

/** True for `application/json` and for types with the suffix `+json` (RFC 6839 §3.1). */
export function isJsonMediaType(contentType: string): boolean {
  const [type = ''] = contentType.split(';');
  return /^(application\/json|[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json)$/i.test(type.trim());
}
