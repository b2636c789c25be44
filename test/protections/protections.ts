/** Groups all protections by attacker, and writes the table on the page about the audit. */
import { basename } from 'node:path';
import {
  authorsOfDependencies, clientsOfPrograms, powerCuts, readersOfLinks, thievesOfFiles,
  thievesOfTokens,
} from './others.ts';
import type { Protection } from './protection.ts';
import { strangers } from './strangers.ts';
import { pagesInBrowsers, users } from './users.ts';

const ATTACKERS: readonly (readonly [attacker: string, protections: readonly Protection[]])[] = [
  ['Anybody on the network', strangers],
  ['A signed-in user', users],
  ["A web page in a user's browser", pagesInBrowsers],
  ['A client of a program behind a proxy', clientsOfPrograms],
  ['Somebody who sees a used password link, or the link of another user', readersOfLinks],
  ['A thief of a database file, backup or log', thievesOfFiles],
  ['A thief of a token', thievesOfTokens],
  ['The author of a dependency', authorsOfDependencies],
  ['`kill -9`, a power cut', powerCuts],
];

export const protections = ATTACKERS.flatMap(([, list]) => list);

export function listProtections(): readonly string[] {
  return ATTACKERS.flatMap(([attacker, list]) => list.map(
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
