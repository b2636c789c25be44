/** The tour as a page in Markdown, whose links lead to lines, beside the files that it is made of. */
import { findPlaces, type FoundSection, type Place } from './places.ts';
import { endpoints } from './sections/endpoints.ts';
import { endpointsOfRecords } from './sections/endpoints-of-records.ts';
import { purpose } from './sections/purpose.ts';
import { resources } from './sections/resources.ts';
import { rules } from './sections/rules.ts';

export const sections = [...purpose, ...resources, ...endpoints, ...endpointsOfRecords, ...rules];

export const PAGE = new URL('README.md', import.meta.url);

/** @throws Error when a line or a test is not there. */
export async function createPage(): Promise<string> {
  const found = await findPlaces(sections);
  return `${toHead(found)}\n${found.map(toTable).join('\n')}`;
}

function toHead(found: readonly FoundSection[]): string {
  const sentences = found.flatMap((section) => section.sentences);
  const tests = new Set(sentences.flatMap((sentence) => sentence.tests.map(({ file, text }) => `${file} ${text}`)));
  return `# The specification, sentence by sentence

Each of the ${sentences.length} sentences of the specification, in our words, with the lines of the source that make it true and the tests
that show it: ${tests.size} of them. Where the specification leaves something open, the row says what is so here.

**Numbers.** The first two levels are the headings of the specification as they follow each other ("Endpoints" is the fourth, \`DELETE
/api/v1/token\` the third below it), and the last the sentences below a heading, from 1. A sentence ends with a full stop; an item of a
list has at least one; a row of a table is one; headings, heads of tables and lines that only announce a list are none. With the
specification at hand, \`npm run tour -- FILE\` prints each of its sentences above ours, and fails when there is one that the other lacks.

**It cannot go stale.** \`npm run tour\` writes this page. A test fails when it is not what would be written now, when a line is gone from
the source or stands there twice, or when no test has such a title; titles are those that the files give to the test runner.
`;
}

function toTable({ number, title, sentences }: FoundSection): string {
  const rows = sentences.map(({ number: id, says, source, tests }) =>
    `| ${id} | ${escape(says)} | ${source.map(toLineLink).join('<br>')} | ${tests.map(toTitleLink).join('<br>')} |`);
  return `## ${number} ${title}\n\n| | The specification says | Source | Test |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function toLineLink(place: Place): string {
  return `[${place.file.replace('src/', '')}:${place.line}](${toTarget(place)}) ${toCode(place.text.split('\n')[0] ?? '')}`;
}

function toTitleLink(place: Place): string {
  return `[${toCode(place.text)}](${toTarget(place)})`;
}

/** Code and titles have characters that mean something in Markdown; within two backticks none does but the bar of the table. */
function toCode(text: string): string {
  const marks = text.includes('`') ? '``' : '`';
  const space = marks.length > 1 ? ' ' : '';
  return `${marks}${space}${text.replaceAll('|', '\\|')}${space}${marks}`;
}

function toTarget({ file, line }: Place): string {
  return `../../${file}#L${line}`;
}

function escape(text: string): string {
  return text.replace(/[|<>*_{}[\]`]/g, (character) => `\\${character}`);
}
