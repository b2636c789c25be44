/**
 * Files of a folder, served from memory.
 *
 * The folder is read once, at start-up, into a map from keys such as `css/site.css` to files. A request is
 * only looked up as a key of that map, and never becomes a path. So no spelling of a request can reach a file
 * outside the folder. Changes in the folder show after a restart.
 *
 * - Left out of the map: files and folders whose name starts with a dot, all symbolic links, and everything
 *   else that is not a regular file. Keys are compared exactly, case included.
 * - The `index.html` of a folder is also served for the folder, under the key that ends in a slash: `''` and
 *   `docs/`. The key `docs` is unknown: serving the page there would break its relative links.
 * - Compressible files are also kept coded, if that makes them smaller.
 *
 * Implements the representations of RFC 9110 §8 and the responses of §13 and §14 to GET and HEAD. Leaves out
 * directory listings, `Last-Modified` (tags are exact, and the dates of files in a container image mean
 * little) and unique file names for immutable caching.
 */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import {
  evaluatePreconditions,
  isRangeCurrent,
  toEntityTag,
  type ConditionalRequest,
  type EntityTag,
} from './conditional.ts';
import { chooseCoding, encodeContent, type ContentCoding } from './content-coding.ts';
import { mediaTypeOf } from './media-types.ts';
import { selectRange } from './range.ts';

/** The largest folder, because all of it is held in memory. Coded forms do not count. */
const TOTAL_SIZE_BYTES_MAX = 64 * 1024 * 1024;

/** The most files and folders together. Entries that are left out do not count. */
const ENTRY_COUNT_MAX = 2000;

const INDEX_NAME = 'index.html';

/**
 * The fields of pages. A page may load only from its own origin. Inline scripts and styles, framing, and
 * text that a script turns into HTML or code (Trusted Types, without any policy) are forbidden. 304 has the
 * fields too, so that a cached page obeys the current policy.
 */
const DOCUMENT_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

type HeaderFields = Readonly<Record<string, string>>;

/** One form of a file: its bytes in one coding, and the header fields that describe them. */
interface Representation {
  readonly coding: ContentCoding;
  readonly body: Buffer;
  readonly tag: EntityTag;
  /** Fields of responses with content. */
  readonly headers: HeaderFields;
  /** Fields of 304, which a cache then updates (RFC 9110 §15.4.5). */
  readonly headersWithoutContent: HeaderFields;
}

/** A file in all its forms. */
export interface StaticFile {
  readonly identity: Representation;
  /** The smaller forms, the preferred one first. */
  readonly coded: readonly Representation[];
}

/** Files by their keys: the path within the folder, decoded, without a leading slash. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

type Frames = ReadonlyMap<string, (text: string) => string>;

type StaticAnswer =
  /** 206 has `Content-Range` among its headers. */
  | { readonly status: 200 | 206 | 304; readonly headers: HeaderFields; readonly body: Buffer | '' }
  /** To be sent with `Content-Range: bytes *\/<sizeBytes>`. */
  | { readonly status: 416; readonly sizeBytes: number }
  | { readonly status: 412 };

/**
 * Reads a folder and everything below it.
 *
 * @param folder - Its path, absolute or relative to the working directory; may be a symbolic link.
 * @param generated - Files that are served as if they were in the folder, by their paths within it.
 * @param frames - Make the content that is served from the text of a file, by the paths of such files.
 * @throws Error naming the folder when any part of it cannot be read, it exceeds the limits, or it contains a
 *   file that is also generated.
 */
export async function loadStaticFiles(
  folder: string,
  generated: ReadonlyMap<string, string> = new Map(),
  frames: Frames = new Map(),
): Promise<StaticFiles> {
  const root = resolve(folder);
  try {
    return await loadFiles(root, generated, frames);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot load the static folder "${root}": ${reason}`, { cause });
  }
}

async function loadFiles(
  root: string,
  generated: ReadonlyMap<string, string>,
  frames: Frames,
): Promise<StaticFiles> {
  const paths = await listPaths(root);
  const sizeBytes = await totalSizeBytes(root, paths);
  if (sizeBytes > TOTAL_SIZE_BYTES_MAX) {
    throw new Error(`it holds ${sizeBytes} bytes, expected at most ${TOTAL_SIZE_BYTES_MAX}`);
  }
  const files = new Map<string, StaticFile>();
  // One file at a time: each coder takes memory from the moment it is created.
  for (const path of paths) {
    const content = await readFile(join(root, path));
    const frame = frames.get(path);
    await addFile(files, path, frame === undefined ? content : Buffer.from(frame(content.toString())));
  }
  for (const [path, content] of generated) {
    if (files.has(path)) {
      throw new Error(`it contains "${path}", which the service generates`);
    }
    await addFile(files, path, Buffer.from(content));
  }
  return files;
}

async function addFile(files: Map<string, StaticFile>, path: string, content: Buffer): Promise<void> {
  const file = createStaticFile(path, content);
  files.set(path, file);
  if (basename(path) === INDEX_NAME) {
    files.set(path.slice(0, -INDEX_NAME.length), file);
  }
}

/** Lists the files to serve, as paths within the root with `/` between the names. */
async function listPaths(root: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const folders = [''];
  // The list grows while it is walked, which visits every level without recursion.
  for (const folder of folders) {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries) {
      // A symbolic link is neither a folder nor a file here.
      if (entry.isDirectory() && !entry.name.startsWith('.')) {
        folders.push(`${folder}${entry.name}/`);
      } else if (entry.isFile() && !isDotFile(entry.name)) {
        paths.push(`${folder}${entry.name}`);
      }
    }
    if (paths.length + folders.length - 1 > ENTRY_COUNT_MAX) {
      throw new Error(`it holds more than ${ENTRY_COUNT_MAX} files and folders`);
    }
  }
  return paths;
}

/** Dot files, such as `.env`, may hold secrets. A name that begins with two dots is like any other. */
function isDotFile(name: string): boolean {
  return /^\.(?!\.)/.test(name);
}

async function totalSizeBytes(root: string, paths: readonly string[]): Promise<number> {
  let total = 0;
  for (const path of paths) {
    total += (await lstat(join(root, path))).size;
  }
  return total;
}

function createStaticFile(path: string, content: Buffer): StaticFile {
  const { contentType, isCompressible, isDocument } = mediaTypeOf(path);
  const coded = isCompressible ? encodeContent(content) : [];
  const headers = {
    always: {
      'Cache-Control': 'no-cache',
      ...(coded.length > 0 ? { Vary: 'Accept-Encoding' } : {}),
      ...(isDocument ? DOCUMENT_HEADERS : {}),
    },
    withContent: { 'Content-Type': contentType, 'Accept-Ranges': 'bytes' },
  };
  return {
    identity: createRepresentation({ coding: 'identity', body: content }, headers),
    coded: coded.map((form) => createRepresentation(form, headers)),
  };
}

function createRepresentation(
  { coding, body }: { coding: ContentCoding; body: Buffer },
  { always, withContent }: { always: HeaderFields; withContent: HeaderFields },
): Representation {
  // Made from the bytes that are sent: another release of a coder may produce other bytes.
  const tag = toEntityTag(body);
  const headersWithoutContent = { ...always, ETag: tag };
  const contentEncoding = coding === 'identity' ? {} : { 'Content-Encoding': coding };
  const headers = { ...headersWithoutContent, ...withContent, ...contentEncoding };
  return { coding, body, tag, headers, headersWithoutContent };
}

/**
 * Decides the response to GET or HEAD of a file; for HEAD the sender leaves the body out.
 *
 * A range always selects uncoded content, whatever `Accept-Encoding` says. Browsers ask for that (Fetch sends
 * `identity` with every `Range`), and parts read at different times then fit together. With the tag of a
 * coded form in `If-Range`, the client gets the whole file.
 */
export function answerStatic(file: StaticFile, request: ConditionalRequest): StaticAnswer {
  // Ranges are defined for GET alone (RFC 9110 §14.2).
  const range = request.method === 'GET' ? request.headers.range : undefined;
  const representation =
    range === undefined ? negotiate(file, request.headers['accept-encoding']) : file.identity;
  switch (evaluatePreconditions(request, representation.tag)) {
    case 'precondition-failed':
      return { status: 412 };
    case 'not-modified':
      return { status: 304, headers: representation.headersWithoutContent, body: '' };
    case 'proceed':
      return answerContent(
        representation,
        isRangeCurrent(request, representation.tag) ? range : undefined,
      );
  }
}

/**
 * Sends a page as the body of an error response. The response has no entity tag and no ranges, and must not
 * be cached. The page is small, so it is not compressed.
 */
export function toErrorPage({ identity: { body, headers } }: StaticFile, others: HeaderFields) {
  const contentType = headers['Content-Type'] ?? '';
  return { headers: { ...DOCUMENT_HEADERS, 'Content-Type': contentType, ...others }, body };
}

function negotiate(file: StaticFile, acceptEncoding: string | undefined): Representation {
  const available = file.coded.map(({ coding }) => coding);
  const chosen = chooseCoding(acceptEncoding, available);
  return file.coded.find(({ coding }) => coding === chosen) ?? file.identity;
}

function answerContent(representation: Representation, range: string | undefined): StaticAnswer {
  const { body, headers } = representation;
  const selection = selectRange(range, body.length);
  switch (selection.kind) {
    case 'whole':
      return { status: 200, headers, body };
    case 'part': {
      const { first, last } = selection;
      const contentRange = `bytes ${first}-${last}/${body.length}`;
      return {
        status: 206,
        headers: { ...headers, 'Content-Range': contentRange },
        body: body.subarray(first, last + 1),
      };
    }
    case 'unsatisfiable':
      return { status: 416, sizeBytes: body.length };
  }
}
