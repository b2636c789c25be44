/**
 * Runs `node ARGUMENTS…` with a recent Node.js and the development packages, which are fetched if they are
 * missing. The scripts of package.json start with this file.
 */
import { runInForeground } from './foreground.js';
import { findNode } from './runtime.js';
import { installPackages } from './setup.js';

const parent = process.ppid;
try {
  const node = findNode();
  installPackages();
  if (process.ppid === parent) { // otherwise, the parent ended during the installation
    runInForeground(node, process.argv.slice(2));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
