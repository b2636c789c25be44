/**
 * Reads the files that the audit checks, and computes digests that anybody can reproduce with `sha256sum`.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{ readonly name: string, readonly content: Buffer }} File - The name is a relative path with `/`.
 */

/**
 * @param {string} folder
 * @returns {File[]} All files in the folder and its subfolders, ordered by the bytes of their names.
 */
export function readFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name: name.replaceAll('\\', '/'), content: readFileSync(join(folder, name)) }))
    .sort((left, right) => Buffer.compare(Buffer.from(left.name), Buffer.from(right.name)));
}

/** @param {string | Buffer} content */
export function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Computes the digest of a folder. This command prints the same digest: `find . -type f | LC_ALL=C sort |
 * xargs sha256sum | sha256sum`.
 *
 * @param {readonly File[]} files - The files of the folder, in the order of `readFiles`.
 */
export function digestOf(files) {
  return sha256(files.map(({ name, content }) => `${sha256(content)}  ./${name}\n`).join(''));
}

/**
 * @param {readonly File[]} left
 * @param {readonly File[]} right
 * @returns {string[]} The names of files that are missing in one list, and of files with different content.
 */
export function differences(left, right) {
  const has = (/** @type {readonly File[]} */ files, /** @type {File} */ { name, content }) =>
    files.some((other) => other.name === name && other.content.equals(content));
  const changed = left.filter((file) => !has(right, file));
  const others = right.filter((file) => !has(left, file));
  return [...new Set([...changed, ...others].map(({ name }) => name))];
}
