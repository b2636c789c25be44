/** Checks the two artefacts that users install: the npm package, and the files of `npm run package`. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from '../package.js';
import { projectFolder } from '../runtime.js';
import { differences, readFiles } from './files.js';

/**
 * @param {readonly string[]} names - The files of the npm package.
 * @param {readonly string[]} built - The files of `dist/` and `static/`, by their paths in the project.
 * @returns {string[]} A sentence for each fault.
 */
export function findTarballFaults(names, built) {
  const expected = new Set(['README.md', 'package.json', ...built]); // npm always adds the first two files
  const packed = new Set(names);
  return [
    ...names.filter((name) => !expected.has(name)).map((name) => `the package has ${name}`),
    ...[...expected].filter((name) => !packed.has(name)).map((name) => `the package lacks ${name}`),
  ];
}

/** @returns {string[]} The files that `npm pack` would pack. */
export function listTarball() {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: projectFolder, encoding: 'utf8', shell: process.platform === 'win32',
  });
  if (status !== 0) {
    throw new Error(`npm pack failed: ${stderr.trim()}`);
  }
  return JSON.parse(stdout)[0].files.map((/** @type {{ path: string }} */ { path }) => path);
}

/**
 * Builds the files of `release/` again, and compares the new files with the old files.
 *
 * @param {string} folder - An empty folder.
 * @returns {{ faults?: string[], remark: string }}
 */
export function comparePackages(folder) {
  const release = join(projectFolder, 'release');
  if (!existsSync(release)) {
    return { remark: 'there is none yet: npm run package' };
  }
  pack(folder);
  const changed = differences(readFiles(release), readFiles(folder));
  return { faults: changed.map((name) => `${name} differs`), remark: 'release/' };
}
