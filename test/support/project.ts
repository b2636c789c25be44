import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFolder, type Context } from './programs.ts';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

/** If NODE_TEST_CONTEXT is set, tests in child processes report to the parent process or do not run. */
export const testEnvironment: NodeJS.ProcessEnv = { ...process.env };
delete testEnvironment['NODE_TEST_CONTEXT'];

export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

export function read(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8');
}

export const manifest = JSON.parse(read('package.json'));

export function readFolder(folder: string, names = /\.ts$/): readonly SourceFile[] {
  const files = readdirSync(join(projectFolder, folder), { recursive: true }).map(String).sort();
  return files.filter((name) => names.test(name)).map((name) => {
    const file = join(folder, name);
    return { file, text: read(file) };
  });
}

/** The copy has links to the packages. @returns The folder of the copy. */
export function copyParts(context: Context, ...parts: readonly string[]): string {
  const folder = createFolder(context);
  parts.forEach((name) => cpSync(join(projectFolder, name), join(folder, name), {
    recursive: true, preserveTimestamps: true,
  }));
  mkdirSync(join(folder, 'node_modules')); // the build writes into this folder, so this folder is not a link
  for (const name of readdirSync(join(projectFolder, 'node_modules')).filter((entry) => entry[0] !== '.')) {
    symlinkSync(join(projectFolder, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}

export function createProject(context: Context, sources: readonly SourceFile[]): string {
  const folder = copyParts(context, 'package.json', 'tsconfig.json', 'src/tsconfig.json', 'static');
  for (const { file, text } of sources) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}
