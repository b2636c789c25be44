/** Writes the table of protections in scripts/audit/README.md. */
import { basename } from 'node:path';
import { others } from './others.ts';
import type { Protection } from './protection.ts';
import { strangers } from './strangers.ts';
import { users } from './users.ts';

const ATTACKERS = [strangers, users, others]
  .flatMap((part) => Object.entries(part))
  .map(([attacker, attacks]) => ({
    attacker,
    list: Object.entries(attacks)
      .map(([wants, [protection, ...mutations]]): Protection => ({ wants, protection, mutations })),
  }));

export const protections = ATTACKERS.flatMap(({ list }) => list);

export function listProtections(): readonly string[] {
  return ATTACKERS.flatMap(({ attacker, list }) => list.map(
    (protection, index) => toRow(index === 0 ? attacker : '', protection),
  ));
}

function toRow(attacker: string, { wants, protection, mutations }: Protection): string {
  const files = mutations.map(([file]) => toLink(file, basename(file)));
  const tests = mutations.map(([, , , test]) => toLink(`test/${test}.test.ts`, basename(test)));
  const lists = [files, tests].map((links) => [...new Set(links)].join(', '));
  const cells = [attacker, wants, protection, ...lists];
  return `|${cells.map((cell) => cell === '' ? ' ' : ` ${cell} `).join('|')}|\n`;
}

function toLink(file: string, name: string): string {
  return `[${name}](../../${file})`;
}
