/**
 * Files of a folder, served from memory.
 *
 * The folder is read once, at the start, into a map from keys such as `css/site.css` to files. A request is
 * looked up as a key of this map and never becomes a path, so no spelling of a request can leave the folder.
 * Left out are symbolic links, and files and folders whose names begin with one dot, such as `.env` and
 * `.git`. The `index.html` of a folder has a second key, which ends in a slash: `''` or `docs/`. The key
 * `docs`, without a slash, is unknown: relative links of the page would be wrong at this address.
 *
 * Folders are not listed, gzip is the only coding, and exact entity tags make `Last-Modified` unnecessary. A
 * request for several ranges gets the whole file, as RFC 9110 §14.2 permits. So a request for thousands of
 * overlapping ranges (CVE-2011-3192) costs no more than any other request.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  evaluatePreconditions, toEntityTag, type ConditionalRequest, type EntityTag,
} from './conditional.ts';
import { mediaTypeOf } from './media-types.ts';

/**
 * The gzip form of a file is kept if it takes less than this share of the plain size, as it does for most
 * text.
 */
const GZIP_SHARE_MAX = 0.9;

/**
 * The fields of pages. A page may load only from its own origin. Forbidden are inline scripts and styles,
 * frames around the page, and scripts that turn text into HTML or code (Trusted Types, without any policy).
 */
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

type HeaderFields = Readonly<Record<string, string>>;

/** One form of a file: its bytes, and the header fields that describe them. */
interface Form {
  readonly body: Buffer;
  /** The fields of every response, even of 304, because 304 updates a cache (RFC 9110 §15.4.5). */
  readonly always: HeaderFields & { readonly ETag: EntityTag };
  readonly withContent: HeaderFields;
}

type StaticFile = Readonly<{ plain: Form; gzip: Form | undefined }>;

/** Files by their keys: the path within the folder, decoded, without a leading slash. */
export type StaticFiles = ReadonlyMap<string, () => Promise<StaticFile>>;

/** Files that are made at the first request for them, because most processes never get such a request. */
export interface GeneratedFiles {
  /** If the folder has a file with one of these keys, that file is only a part of the generated file. */
  readonly keys: readonly string[];
  /** @param read - Reads a file of the folder. Returns an empty text if the folder has no such file. */
  readonly generate: (key: string, read: (key: string) => string) => Promise<string>;
}

const NONE: GeneratedFiles = { keys: [], generate: async () => '' };

/**
 * @param folder - A path, absolute or relative to the working directory. May be a symbolic link.
 * @throws Error naming the folder if any part of it cannot be read.
 */
export function loadStaticFiles(folder: string, { keys, generate }: GeneratedFiles = NONE): StaticFiles {
  const root = resolve(folder);
  const contents = new Map<string, Buffer>();
  try {
    readFolder(root, '', contents);
  } catch (cause) {
    throw new Error(`Cannot load the static folder "${root}": ${(cause as Error).message}`, { cause });
  }
  const files = new Map<string, () => Promise<StaticFile>>();
  const read = (key: string) => String(contents.get(key) ?? '');
  for (const key of new Set([...contents.keys(), ...keys])) {
    const content = keys.includes(key) ? undefined : contents.get(key);
    let file = content && Promise.resolve(createFile(key, content));
    const make = async () => createFile(key, Buffer.from(await generate(key, read)));
    const open = () => (file ??= make());
    files.set(key, open).set(key.replace(/(^|\/)index\.html$/, '$1'), open);
  }
  return files;
}

/** Adds the files by their keys. The option `recursive` of `readdir` would follow symbolic links. */
function readFolder(path: string, key: string, contents: Map<string, Buffer>): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const isHidden = /^\.[^.]/.test(entry.name);
    const entryPath = join(path, entry.name);
    if (entry.isDirectory() && !isHidden) {
      readFolder(entryPath, `${key}${entry.name}/`, contents);
    } else if (entry.isFile() && !isHidden) {
      contents.set(key + entry.name, readFileSync(entryPath));
    }
  }
}

function createFile(key: string, content: Buffer): StaticFile {
  const type = mediaTypeOf(key);
  // Blocks on purpose: in the pool, each thread would keep the memory of its compressor for good.
  const zipped = gzipSync(content, { level: 9 });
  const isWorthIt = zipped.length < GZIP_SHARE_MAX * content.length;
  const createForm = (body: Buffer, coding?: HeaderFields): Form => ({
    body,
    always: {
      'Cache-Control': 'no-cache',
      ...(isWorthIt && { Vary: 'Accept-Encoding' }),
      ...(/html|xml/.test(type) && PAGE_HEADERS), // browsers would run the scripts of these types
      'ETag': toEntityTag(body), // of the bytes as sent: releases of zlib compress differently
    },
    withContent: { 'Content-Type': type, 'Accept-Ranges': 'bytes', ...coding },
  });
  const gzip = isWorthIt ? createForm(zipped, { 'Content-Encoding': 'gzip' }) : undefined;
  return { plain: createForm(content), gzip };
}

/** `gzip`, or its old name `x-gzip`, as an element of `Accept-Encoding` whose weight is not 0. */
const ACCEPTS_GZIP = /(^|,)\s*(x-)?gzip\s*(?=$|,|;)(?!;\s*q=0(\.0*)?\s*($|,))/i;

type StaticAnswer =
  | { readonly status: 200 | 206 | 304; readonly headers: HeaderFields; readonly body: Buffer | '' }
  | { readonly status: 412 }
  | { readonly status: 416; readonly sizeBytes: number };

/**
 * Decides the response to GET or HEAD of a file. For HEAD, the sender leaves out the body.
 *
 * A range always selects bytes of the plain form, whatever `Accept-Encoding` says. There are two reasons:
 * browsers ask for the plain form (Fetch sends `identity` with every `Range`), and parts fit together only if
 * all come from the same form. With the tag of the compressed form in `If-Range`, the client gets the whole
 * file.
 */
export function answerStatic(file: StaticFile, request: ConditionalRequest): StaticAnswer {
  const { range: asked = '', 'if-range': ifRange, 'accept-encoding': accepted = '' } = request.headers;
  const range = request.method === 'GET' ? asked : ''; // HEAD has no ranges (RFC 9110 §14.2)
  const { body, always, withContent } =
    (range === '' && ACCEPTS_GZIP.test(accepted) && file.gzip) || file.plain;
  const outcome = evaluatePreconditions(request, always.ETag);
  if (outcome === 'precondition-failed') {
    return { status: 412 };
  }
  if (outcome === 'not-modified') {
    return { status: 304, headers: always, body: '' };
  }
  const headers = { ...always, ...withContent };
  const size = body.length;
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? [];
  // `-5` is the last five bytes. Rounding of numbers beyond 2^53 keeps their order.
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  const isReversed = from !== '' && to !== '' && Number(to) < Number(from);
  // `If-Range` must be the current tag (RFC 9110 §13.1.5). A date never matches, because files have no dates.
  const isStale = ifRange !== undefined && ifRange !== always.ETag;
  // A range of an empty file is ignored, and so is a `Range` field without exactly one well-formed range.
  if (from + to === '' || isReversed || size === 0 || isStale) {
    return { status: 200, headers, body };
  }
  return first > last ? { status: 416, sizeBytes: size } : {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${first}-${last}/${size}` },
    body: body.subarray(first, last + 1),
  };
}
