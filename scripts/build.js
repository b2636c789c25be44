/** Builds `dist/` from `src/` with the TypeScript compiler, unless `dist/` is newer than its sources. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFolder } from './runtime.js';
import { withLock } from './setup.js';

const sourceFolder = join(projectFolder, 'src');
const outputFolder = join(projectFolder, 'dist');
const temporaryFolder = join(projectFolder, 'node_modules', '.build');

/** @throws {Error} If the build fails. The compiler writes its errors to standard error. */
export function build() {
  if (isUpToDate()) {
    return; // takes no lock, because some users cannot create the lock file
  }
  withLock(() => {
    if (!isUpToDate()) {
      compile(temporaryFolder);
      rmSync(outputFolder, { recursive: true, force: true });
      // The folder gets its final name last, so that an interrupted build never looks finished.
      renameSync(temporaryFolder, outputFolder);
    }
  });
}

export function buildOrEnd() {
  try {
    build();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

/** @param {string} folder */
export function compile(folder) {
  rmSync(folder, { recursive: true, force: true });
  const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [compiler, '--project', sourceFolder, '--outDir', folder], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    throw new Error(`The build failed (compiler exit code ${status})`);
  }
}

function isUpToDate() {
  if (!existsSync(join(outputFolder, 'server.js'))) {
    return false;
  }
  const oldestOutputMs = Math.min(...modificationTimes(outputFolder));
  const newestInputMs = Math.max(
    ...modificationTimes(sourceFolder),
    statSync(sourceFolder).mtimeMs, // a folder gets a new modification time if a file is added
    statSync(join(projectFolder, 'tsconfig.json')).mtimeMs,
  );
  return newestInputMs < oldestOutputMs;
}

/** @param {string} folder */
function modificationTimes(folder) {
  return readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))).mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildOrEnd();
}
