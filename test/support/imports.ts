/** The files of the project, and their imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

interface SourceFile {
  /** The path of the file within the project. */
  readonly file: string;
  readonly text: string;
}

export function readFolder(folder: string, names = /\.ts$/): readonly SourceFile[] {
  const files = readdirSync(join(projectFolder, folder), { recursive: true })
    .map(String)
    .filter((file) => names.test(file))
    .sort();
  return files.map((file) => ({
    file: join(folder, file), text: readFileSync(join(projectFolder, folder, file), 'utf8'),
  }));
}

interface Import {
  /** A path within the project, or the name of a module. */
  readonly target: string;
  /** The text between `import` and `from`. */
  readonly names: string;
}

/** Static and dynamic imports and re-exports with a literal module name. */
export function importsOf({ file, text }: SourceFile): readonly Import[] {
  const patterns = [
    /^(?:import|export)\b([^;=]*?)\bfrom '([^']+)'/gm,
    /(?:\bconst (\{[^}]*\}) = await )?\bimport\('([^']+)'\)(\)\.\w+)?/g,
  ];
  const matches = patterns.flatMap((pattern) => [...text.matchAll(pattern)]);
  return matches.map(([, before = '', target = '', after = '']) => ({
    names: before + after,
    target: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
  }));
}
