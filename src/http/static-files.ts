/**
 * At the start, reads all files of a folder into a map. The requested name, such as `css/site.css`, is only a
 * key of the map, never a file path, so no request can leave the folder. The map has no symbolic links, and
 * no hidden files or folders, such as `.env` and `.git`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { toEntityTag } from './conditional.ts';
import type { Headers } from './message.ts';

/** A page loads files only from its own origin. Trusted Types forbid scripts to turn text into code. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
    "connect-src 'self'", "font-src 'self'", "form-action 'self'", "base-uri 'none'",
    "frame-ancestors 'none'", "object-src 'none'", "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

type StaticFile = ReturnType<typeof createFile>;

/** The file `docs/index.html` has a second key, `docs/`. Without the slash, relative links would break. */
export type StaticFiles = ReadonlyMap<string, () => Promise<StaticFile>>;

/** Files that are generated when they are first requested. */
export interface GeneratedFiles {
  /** Paths of generated files. If the folder has a file at such a path, `generate` can extend this file. */
  readonly keys: readonly string[];
  readonly generate: (key: string, read: (key: string) => string) => Promise<string>;
}

export function loadStaticFiles(
  folder: string, { keys, generate }: GeneratedFiles = { keys: [], generate: async () => '' },
): StaticFiles {
  const contents = new Map(listFiles(folder, ''));
  const files = new Map<string, () => Promise<StaticFile>>();
  const add = (key: string, open: () => Promise<StaticFile>) =>
    files.set(key, open).set(key.replace(/(^|\/)index\.html$/, '$1'), open);
  for (const [key, content] of contents) {
    const file = Promise.resolve(createFile(key, content));
    add(key, () => file);
  }
  const read = (key: string) => String(contents.get(key) ?? '');
  for (const key of keys) {
    let file: Promise<StaticFile> | undefined;
    add(key, () => (file ??= generate(key, read).then((text) => createFile(key, Buffer.from(text)))));
  }
  return files;
}

/** The option `recursive` of `readdir` would follow symbolic links. */
function listFiles(path: string, prefix: string): [key: string, content: Buffer][] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const [key, entryPath] = [prefix + entry.name, join(path, entry.name)];
    const isHidden = /^\.[^.]/.test(entry.name);
    return entry.isDirectory() && !isHidden ? listFiles(entryPath, `${key}/`)
      : entry.isFile() && !isHidden ? [[key, readFileSync(entryPath)]]
      : [];
  });
}

/** Returns the plain form of a file, and also the compressed form if compression saves more than a tenth. */
function createFile(key: string, content: Buffer) {
  const type = mediaTypeOf(key);
  // Compression runs in the main thread, because a pool thread would never free the compressor's memory.
  const zipped = gzipSync(content, { level: 9 });
  const isWorthIt = zipped.length < 0.9 * content.length;
  const createForm = (body: Buffer, coding?: Headers) => ({
    body,
    /** A 304 also has these header fields, because clients update the cached response (RFC 9110 §15.4.5). */
    always: {
      'Cache-Control': 'no-cache',
      ...(isWorthIt && { Vary: 'Accept-Encoding' }),
      ...(/html|xml/.test(type) && PAGE_HEADERS), // browsers run scripts in HTML and XML
      'ETag': toEntityTag(body), // the tag changes if a new zlib compresses differently
    },
    withContent: { 'Content-Type': type, 'Accept-Ranges': 'bytes', ...coding },
  });
  const gzip = isWorthIt ? createForm(zipped, { 'Content-Encoding': 'gzip' }) : undefined;
  return { plain: createForm(content), gzip };
}

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
function mediaTypeOf(fileName: string): string {
  const type = MEDIA_TYPES.get(extname(fileName).slice(1).toLowerCase()) ?? 'application/octet-stream';
  // JSON is always UTF-8 (RFC 8259 §8.1). An XML file declares its own encoding (RFC 7303 §3).
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
