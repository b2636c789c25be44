/** Files of the project, for pages that quote them. */
import { readdirSync, readFileSync } from 'node:fs';

/** Texts by their paths within the project. */
export type Files = Readonly<Record<string, string>>;

const root = new URL('../../', import.meta.url);

/** @param names - The paths of the files within the folder. */
export function readFiles(folder: string, names: RegExp): Files {
  const files = readdirSync(new URL(folder, root), { recursive: true }).map(String).sort();
  return Object.fromEntries(
    files.filter((name) => names.test(name)).map(
      (name) => [`${folder}/${name}`, readFileSync(new URL(`${folder}/${name}`, root), 'utf8')],
    ),
  );
}

/** The number of the line with a character, from 1. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
