/** Installs the development packages if any package is missing or has the wrong version. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder, runNpm } from './runtime.js';

const LOCK_FILE = join(projectFolder, '.setup-lock');
const LOCK_POLL_MS = 100;
const POLLS_BEFORE_NOTICE = 20;

export function installPackages() {
  if (missingPackages().length > 0) {
    withLock(() => {
      const missing = missingPackages(); // perhaps another process has installed all packages
      if (missing.length > 0) {
        console.error(`Installing ${missing.join(', ')} (development packages; the service needs none)`);
        runNpm(['ci', '--ignore-scripts']);
      }
    });
  }
}

function missingPackages() {
  const { devDependencies } = readJson(join(projectFolder, 'package.json'));
  return Object.entries(devDependencies)
    .filter(([name, version]) => installedVersion(name) !== version)
    .map(([name, version]) => `${name} ${version}`);
}

/** @param {string} name */
function installedVersion(name) {
  const file = join(projectFolder, 'node_modules', name, 'package.json');
  return existsSync(file) ? readJson(file).version : undefined;
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * Only one process at a time can install or build. The lock is a file with the id of the process that
 * holds the lock. If the holder of the lock has ended, another process removes the lock.
 *
 * @param {() => void} action
 */
export function withLock(action) {
  for (let polls = 0; !tryLock(); polls += 1) {
    if (polls === POLLS_BEFORE_NOTICE) {
      console.error('Waiting for another process that installs or builds (if none runs, remove .setup-lock)');
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  }
  try {
    action();
  } finally {
    rmSync(LOCK_FILE, { force: true });
  }
}

function tryLock() {
  try {
    writeFileSync(LOCK_FILE, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'EEXIST') {
      const advice = 'run the same command once as the owner of this folder';
      throw new Error(`Cannot install or build in ${projectFolder} (${code}): ${advice}`);
    }
    removeAbandonedLock();
    return false;
  }
}

function removeAbandonedLock() {
  try {
    // Signal 0 is not delivered to a process, and only tests whether the process exists.
    process.kill(Number(readFileSync(LOCK_FILE, 'utf8')) || process.pid, 0);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ESRCH') {
      rmSync(LOCK_FILE, { force: true });
    }
  }
}
