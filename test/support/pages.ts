import { read, readFolder } from './project.ts';

export const pages: ReadonlyMap<string, string> = new Map([
  ['README.md', read('README.md')],
  ...['src', 'static', 'scripts', 'test'].flatMap((folder) => readFolder(folder, /\.md$/))
    .map(({ file, text }): [string, string] => [file, text]),
]);

/** Lines in blocks of code are not Markdown. */
export function withoutCode(page: string): string {
  return page.replace(/^```[^]*?^```/gm, '');
}

/** The anchors have the form that GitHub uses. */
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

export function toText(html: string): string {
  const text = html.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
