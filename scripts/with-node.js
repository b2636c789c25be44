/**
 * Runs `node ARGUMENTS…` with a recent Node.js. If Node.js or the development packages are missing, they are
 * fetched first. Most scripts of package.json call this file.
 */
import { runInForeground } from './foreground.js';
import { findNode } from './runtime.js';
import { installPackages } from './setup.js';

const parent = process.ppid;
try {
  const node = findNode();
  installPackages();
  if (process.ppid === parent) { // perhaps the parent has ended during the installation
    runInForeground(node, process.argv.slice(2));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
