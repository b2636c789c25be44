/**
 * Fetches axe-core, which judges the accessibility of pages in the tests that use a browser: once, as an npm
 * package, into the ignored folder `.axe/`. No page has it, and the package is no dependency of the service.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchFolder, projectFolder } from './runtime.js';

const VERSION = '4.14.1';
const SCRIPT = 'axe.min.js';

/**
 * @returns {string} The path of a script that defines `axe` in a page.
 * @throws {Error} When it cannot be had; the message says why.
 */
export function findAxe() {
  const folder = join(projectFolder, '.axe', VERSION);
  if (!existsSync(folder)) {
    console.error(`Fetching axe-core ${VERSION} into .axe/ (once)`);
    fetchFolder(folder, { specifier: `axe-core@${VERSION}`, source: 'axe-core', assertUsable });
  }
  return join(folder, SCRIPT);
}

/** @param {string} fetched */
function assertUsable(fetched) {
  if (!existsSync(join(fetched, SCRIPT))) {
    throw new Error(`The fetched axe-core has no ${SCRIPT}`);
  }
}
