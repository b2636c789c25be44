/** Files as the audit sees them, and digests that anybody can reproduce with `sha256sum`. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ readonly name: string, readonly content: Buffer }} File - The name is relative, with `/`. */

/**
 * @param {string} folder
 * @returns {File[]} All files in the folder and its subfolders, in the order of their names' bytes.
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
 * The digest of a folder, as this command prints it: `find . -type f | LC_ALL=C sort | xargs sha256sum |
 * sha256sum`.
 *
 * @param {readonly File[]} files - In the order of `readFiles`.
 */
export function digestOf(files) {
  return sha256(files.map(({ name, content }) => `${sha256(content)}  ./${name}\n`).join(''));
}

/**
 * @param {readonly File[]} left
 * @param {readonly File[]} right
 * @returns {string[]} The names of files that only one list has, and of files that differ.
 */
export function differences(left, right) {
  const has = (/** @type {readonly File[]} */ files, /** @type {File} */ { name, content }) =>
    files.some((other) => other.name === name && other.content.equals(content));
  const changed = left.filter((file) => !has(right, file));
  const others = right.filter((file) => !has(left, file));
  return [...new Set([...changed, ...others].map(({ name }) => name))];
}
