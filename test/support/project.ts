/** Reads the files of the project. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

export interface SourceFile {
  /** The path of the file within the project. */
  readonly file: string;
  readonly text: string;
}

/** @param file - The path of the file within the project. */
export function read(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8');
}

/** @returns The files with matching names in the folder and its subfolders, in the order of their paths. */
export function readFolder(folder: string, names = /\.ts$/): readonly SourceFile[] {
  const files = readdirSync(join(projectFolder, folder), { recursive: true }).map(String).sort();
  return files.filter((name) => names.test(name)).map((name) => {
    const file = join(folder, name);
    return { file, text: read(file) };
  });
}
