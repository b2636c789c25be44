/** Reads files, and computes the digests that `sha256sum` would print. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface File {
  /** The path relative to the parameter `folder` of `readFiles`, with `/` as the separator. */
  readonly name: string;
  readonly content: Buffer;
}

/** @returns All files below the folder, sorted by the bytes of their names. `digestOf` needs this order. */
export function readFiles(folder: string): File[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name: name.replaceAll('\\', '/'), content: readFileSync(join(folder, name)) }))
    .sort((left, right) => Buffer.compare(Buffer.from(left.name), Buffer.from(right.name)));
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * In the folder of the files, run this command to compute the digest that `digestOf` returns:
 * `find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum`
 */
export function digestOf(files: readonly File[]): string {
  return sha256(files.map(({ name, content }) => `${sha256(content)}  ./${name}\n`).join(''));
}

/** @returns The names of changed files, and of files that only one list has. */
export function differences(left: readonly File[], right: readonly File[]): string[] {
  const has = (files: readonly File[], { name, content }: File) =>
    files.some((other) => other.name === name && other.content.equals(content));
  const changed = left.filter((file) => !has(right, file));
  const others = right.filter((file) => !has(left, file));
  return [...new Set([...changed, ...others].map(({ name }) => name))];
}
