/** The pages for readers of the project: every `README.md`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

/** The folders of the project, without packages and builds. */
const FOLDERS = ['src', 'static', 'scripts', 'test'];

/** @param file - The path of the page within the project. */
export function read(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8');
}

/** All pages by their paths within the project. */
export const pages: ReadonlyMap<string, string> = new Map(
  [
    'README.md',
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(projectFolder, folder), { recursive: true }).map((name) => join(folder, String(name))),
    ).filter((file) => file.endsWith('.md')).sort(),
  ].map((file) => [file, read(file)]),
);

/** The page without blocks of code, whose lines are not Markdown. */
export function withoutCode(page: string): string {
  return page.replace(/^```[^]*?^```/gm, '');
}

/** The anchors of the headings, in the form of GitHub. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  return new Set([...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }));
}
