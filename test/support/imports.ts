import { dirname, join, normalize } from 'node:path';
import type { SourceFile } from './project.ts';

/** Matches imports and re-exports. The target is a path within the project, or the name of a module. */
export function importsOf({ file, text }: SourceFile) {
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
