import { namesOf, settings, type Setting } from '../../src/settings.ts';
import { listProtections } from '../protections/protections.ts';
import { createTour } from '../tour/page.ts';
import { createWalk } from '../walk/page.ts';
import { manifest } from './project.ts';
import { splitAt } from './sources.ts';

/** For each page, a function that updates the text, or throws an Error that lists all mistakes. */
export const generatedPages: Readonly<Record<string, (page: string) => string>> = {
  'test/tour/README.md': createTour,
  'test/walk/README.md': createWalk,
  'src/programs/README.md': (page) => fillTable(page, '| Setting | Default | Meaning |', listSettings()),
  'scripts/audit/README.md': (page) => fillTable(
    page, '| Attacker | Wants to | Protection | Held by | Tests |', listProtections(),
  ),
  'scripts/container/README.md': nameVersion,
  'scripts/container/Dockerfile': nameVersion,
  'scripts/container/kubernetes.yaml': nameVersion,
  'scripts/container/rollcall.service': nameVersion,
};

function nameVersion(page: string): string {
  return page.replace(/(rollcall[:-]|Rollcall |image\.version=")\d+\.\d+\.\d+/g, `$1${manifest.version}`);
}

/** @throws Error unless the page has exactly one table with the given head. */
function fillTable(page: string, head: string, rows: readonly string[]): string {
  const wholeHead = `\n${head}\n|${'---|'.repeat(head.split('|').length - 2)}\n`;
  const [before, after] = splitAt(page, wholeHead, 'the page');
  return [before, wholeHead, ...rows, after.replace(/^(?:\|.*\n)*/, '')].join('');
}

function listSettings(): readonly string[] {
  return Object.values<Setting<unknown>>(settings).map((setting) => {
    const { fallback, description } = setting;
    const names = namesOf(setting).map((name) => `\`${name}\``).join(', or ');
    return `| ${names} | ${fallback === '' ? '' : `\`${fallback}\``} | ${description} |\n`;
  });
}
