/** Files as the audit sees them, and digests that anybody can make again with `sha256sum`. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** @typedef {{ readonly name: string, readonly content: Buffer }} File - The name is relative, with `/` between folders. */

/**
 * @param {string} folder
 * @returns {File[]} All files in it and below, in the order of their names' bytes.
 */
export function readFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String).filter((name) => statSync(join(folder, name)).isFile());
  return names
    .map((name) => ({ name: name.replaceAll('\\', '/'), content: readFileSync(join(folder, name)) }))
    .sort((left, right) => Buffer.compare(Buffer.from(left.name), Buffer.from(right.name)));
}

/** @param {string | Buffer} content */
export function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The digest of a folder, as this makes it in the folder: `find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum`.
 *
 * @param {readonly File[]} files - In order.
 */
export function digestOf(files) {
  return sha256(files.map(({ name, content }) => `${sha256(content)}  ./${name}\n`).join(''));
}

/** @param {File} file */
export function measure({ name, content }) {
  const lines = content.toString('utf8').split('\n').length - 1;
  return { name, bytes: content.length, lines, gzipBytes: gzipSync(content, { level: 9 }).length, sha256: sha256(content) };
}

/**
 * @param {readonly File[]} left
 * @param {readonly File[]} right
 * @returns {string[]} The names of files that only one has, or that differ.
 */
export function differences(left, right) {
  const rest = new Map(right.map(({ name, content }) => [name, content]));
  const differing = left.filter(({ name, content }) => {
    const other = rest.get(name);
    rest.delete(name);
    return other === undefined || !content.equals(other);
  });
  return [...differing.map(({ name }) => name), ...rest.keys()];
}
