/** Files of the project as pages quote them. */
import { readdirSync, readFileSync } from 'node:fs';

/** Texts by their paths within the project. */
export type Files = Readonly<Record<string, string>>;

const root = new URL('../../', import.meta.url);

/** @param names - Of the files, by their paths within the folder. */
export function readFiles(folder: string, names: RegExp): Files {
  const files = readdirSync(new URL(folder, root), { recursive: true }).map(String).sort();
  return Object.fromEntries(
    files.filter((name) => names.test(name)).map(
      (name) => [`${folder}/${name}`, readFileSync(new URL(`${folder}/${name}`, root), 'utf8')],
    ),
  );
}

/** The line, from 1, in which a character stands. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
