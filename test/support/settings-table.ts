/** The table of settings in the README of the programs. */
import { settings, type Setting } from '../../src/settings.ts';

export const SETTINGS_PAGE = new URL('../../src/programs/README.md', import.meta.url);

/** The rows below the head of the table. */
const TABLE = /(?<=\| Setting \| Default \| Meaning \|\n\|---\|---\|---\|\n)(?:\|.*\n)*/;

/** @returns The page with the generated table. @throws Error if the page has no such table. */
export function fillSettings(page: string): string {
  const rows = Object.values<Setting<unknown>>(settings).map(({ name, fallback, description, isSecret }) => {
    const names = isSecret ? `\`${name}\`, or \`${name}_FILE\`` : `\`${name}\``;
    return `| ${names} | ${fallback === '' ? '' : `\`${fallback}\``} | ${description} |\n`;
  });
  const [head, ...rest] = page.split(TABLE);
  if (rest.length !== 1) {
    throw new Error('src/programs/README.md: expected one table of settings');
  }
  return [head, ...rows, ...rest].join('');
}
