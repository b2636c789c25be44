/**
 * Files of a folder, served from memory.
 *
 * The folder is read once, at the start, into a map from keys such as `css/site.css` to files. A request is
 * looked up as a key of this map and never becomes a path, so no spelling of a request can leave the folder.
 * Left out are files and folders whose names begin with one dot, such as `.env` and `.git`, all symbolic
 * links, and everything else that is not a regular file. The `index.html` of a folder is also served under
 * the key that ends in a slash: `''` and `docs/`. The key `docs` is unknown: serving the page there would
 * break its relative links.
 *
 * Leaves out listings of folders, codings other than gzip, and `Last-Modified` (tags are exact). A request
 * for several ranges gets the whole file, as RFC 9110 §14.2 permits. So thousands of overlapping ranges
 * (CVE-2011-3192) cost nothing extra.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  evaluatePreconditions, isRangeCurrent, toEntityTag, type ConditionalRequest, type EntityTag,
} from './conditional.ts';
import { mediaTypeOf } from './media-types.ts';

/** A file is also kept compressed if that takes less than this share of its size: images rarely do. */
const GZIP_SHARE_MAX = 0.9;

/**
 * The fields of pages. A page may load only from its own origin. Inline scripts and styles, framing, and
 * text that a script turns into HTML or code (Trusted Types, without any policy) are forbidden. 304 has the
 * fields too, so that a cached page obeys the current policy.
 */
const PAGE_HEADERS = {
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
  /** Fields of every response, also of 304, which updates a cache (RFC 9110 §15.4.5). */
  readonly always: HeaderFields & { readonly ETag: EntityTag };
  readonly withContent: HeaderFields;
}

type StaticFile = Readonly<{ plain: Form; gzip: Form | undefined }>;

/** Files by their keys: the path within the folder, decoded, without a leading slash. */
export type StaticFiles = ReadonlyMap<string, () => Promise<StaticFile>>;

/** Files that are made when they are first asked for, because most processes are never asked. */
export interface GeneratedFiles {
  /** Their keys. A file of the folder with such a key is only a part of the generated one. */
  readonly keys: readonly string[];
  /** @param read - Reads such a part; empty if the folder has none. */
  readonly generate: (key: string, read: (key: string) => string) => Promise<string>;
}

const NONE: GeneratedFiles = { keys: [], generate: async () => '' };

/**
 * @param folder - A path, absolute or relative to the working directory; may be a symbolic link.
 * @throws Error naming the folder when any part of it cannot be read.
 */
export function loadStaticFiles(folder: string, { keys, generate }: GeneratedFiles = NONE): StaticFiles {
  const root = resolve(folder);
  const contents = new Map<string, Buffer>();
  try {
    readFolder(root, '', contents);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot load the static folder "${root}": ${reason}`, { cause });
  }
  const files = new Map<string, () => Promise<StaticFile>>();
  const add = (key: string, file: () => Promise<StaticFile>) =>
    files.set(key, file).set(key.replace(/(^|\/)index\.html$/, '$1'), file);
  const read = (key: string) => String(contents.get(key) ?? '');
  for (const [key, content] of contents) {
    if (!keys.includes(key)) {
      const file = Promise.resolve(createFile(key, content));
      add(key, () => file);
    }
  }
  for (const key of keys) {
    let made: Promise<StaticFile> | undefined;
    const make = async () => createFile(key, Buffer.from(await generate(key, read)));
    add(key, () => (made ??= make()));
  }
  return files;
}

/** Adds the files to serve, by their keys. The recursion of `readdir` would follow symbolic links. */
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
  const isPage = /html|xml/.test(type); // a browser would run scripts in it as those of our origin
  // Blocks on purpose: each thread of the pool would keep the memory of its compressor for good.
  const zipped = gzipSync(content, { level: 9 });
  const isWorthIt = zipped.length < GZIP_SHARE_MAX * content.length;
  const createForm = (body: Buffer, coding?: HeaderFields): Form => ({
    body,
    always: {
      'Cache-Control': 'no-cache',
      ...(isWorthIt && { Vary: 'Accept-Encoding' }),
      ...(isPage && PAGE_HEADERS),
      'ETag': toEntityTag(body), // of the bytes that are sent: another release of zlib may make other bytes
    },
    withContent: { 'Content-Type': type, 'Accept-Ranges': 'bytes', ...coding },
  });
  return {
    plain: createForm(content),
    gzip: isWorthIt ? createForm(zipped, { 'Content-Encoding': 'gzip' }) : undefined,
  };
}

/** `gzip`, or its old name `x-gzip`, as an element of `Accept-Encoding` whose weight is not 0. */
const ACCEPTS_GZIP = /(^|,)\s*(x-)?gzip\s*(?=$|,|;)(?!;\s*q=0(\.0*)?\s*($|,))/i;

/** 416 is to be sent with `Content-Range: bytes *\/<sizeBytes>`. */
type StaticAnswer =
  | { readonly status: 200 | 206 | 304; readonly headers: HeaderFields; readonly body: Buffer | '' }
  | { readonly status: 416; readonly sizeBytes: number }
  | { readonly status: 412 };

/**
 * Decides the response to GET or HEAD of a file; for HEAD the sender leaves the body out.
 *
 * A range always selects bytes of the plain form, whatever `Accept-Encoding` says. Browsers ask for that
 * (Fetch sends `identity` with every `Range`), and parts read at different times then fit together. With the
 * tag of the compressed form in `If-Range`, the client gets the whole file.
 */
export function answerStatic(file: StaticFile, request: ConditionalRequest): StaticAnswer {
  const { range: asked, 'accept-encoding': accepted = '' } = request.headers;
  const range = request.method === 'GET' ? asked : undefined; // HEAD has no ranges (RFC 9110 §14.2)
  const { body, always, withContent } =
    (range === undefined && ACCEPTS_GZIP.test(accepted) && file.gzip) || file.plain;
  switch (evaluatePreconditions(request, always.ETag)) {
    case 'precondition-failed':
      return { status: 412 };
    case 'not-modified':
      return { status: 304, headers: always, body: '' };
    case 'proceed': {
      const isCurrent = range !== undefined && isRangeCurrent(request, always.ETag);
      return answerRange(body, { ...always, ...withContent }, isCurrent ? range : '');
    }
  }
}

/** Anything but exactly one well-formed range is ignored, and so is a range of an empty file. */
function answerRange(body: Buffer, headers: HeaderFields, range: string): StaticAnswer {
  const size = body.length;
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? [];
  const isReversed = from !== '' && to !== '' && Number(to) < Number(from);
  if (from + to === '' || isReversed || size === 0) {
    return { status: 200, headers, body };
  }
  // `-5` is the last five bytes. Rounding of numbers beyond 2^53 keeps their order.
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last) {
    return { status: 416, sizeBytes: size };
  }
  const part = { 'Content-Range': `bytes ${first}-${last}/${size}` };
  return { status: 206, headers: { ...headers, ...part }, body: body.subarray(first, last + 1) };
}

/** Makes a page the body of an error response, which has no entity tag, no ranges, and is not cached. */
export function toErrorPage({ plain: { body, withContent } }: StaticFile, others: HeaderFields) {
  return { headers: { ...PAGE_HEADERS, 'Content-Type': withContent['Content-Type'] ?? '', ...others }, body };
}
