/**
 * Runs `node ARGUMENTS…` with a Node.js that is recent enough and with the development packages installed,
 * fetching either where it is missing: `node scripts/with-node.js dist/server.js`. Every script of
 * package.json goes through here.
 */
import { runInForeground } from './foreground.js';
import { findNode } from './runtime.js';
import { installPackages } from './setup.js';

const parent = process.ppid;
try {
  const node = findNode();
  installPackages();
  if (process.ppid === parent) { // else nobody waits for it any more
    runInForeground(node, process.argv.slice(2));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
