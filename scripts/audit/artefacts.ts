/** Checks what users install: the npm package, and the files that `npm run package` makes. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from '../package.ts';
import { projectFolder } from '../runtime.js';
import { differences, readFiles } from './files.ts';

/** @param built - The files of `dist/` and `static/`, by their paths in the project. */
export function findTarballFaults(names: readonly string[], built: readonly string[]): string[] {
  const expected = new Set(['README.md', 'package.json', ...built]); // npm always packs these two files
  const packed = new Set(names);
  return [
    ...names.filter((name) => !expected.has(name)).map((name) => `the package has ${name}`),
    ...[...expected].filter((name) => !packed.has(name)).map((name) => `the package lacks ${name}`),
  ];
}

export function listTarball(): string[] {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: projectFolder, encoding: 'utf8', shell: process.platform === 'win32',
  });
  if (status !== 0) {
    throw new Error(`npm pack failed: ${stderr.trim()}`);
  }
  return JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
}

/** Builds the files of `release/` again in the empty `folder`, and compares the two folders. */
export function comparePackages(folder: string): { faults?: string[]; remark: string } {
  const release = join(projectFolder, 'release');
  if (!existsSync(release)) {
    return { remark: 'release/ does not exist; npm run package creates it' };
  }
  pack(folder);
  const changed = differences(readFiles(release), readFiles(folder));
  return { faults: changed.map((name) => `${name} differs`), remark: 'release/' };
}
