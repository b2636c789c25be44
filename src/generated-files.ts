/** What is served below `/static/` besides the files of the folder, made once, at start-up. */
import { createProblemPages } from './problem-pages.ts';

/** The settings that these files depend on. */
interface GeneratedFileSettings {
  /** Absent for none. */
  readonly basePath: string | undefined;
}

/** @returns The content by its path below `/static/`. */
export function generateFiles({ basePath = '' }: GeneratedFileSettings): ReadonlyMap<string, string> {
  return createProblemPages(basePath);
}
