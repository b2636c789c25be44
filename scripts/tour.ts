/**
 * `npm run tour`: writes the page that leads from each sentence of the specification to the source and the tests.
 * `npm run tour -- FILE` lays the specification itself beside it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createPage, PAGE, sections } from '../test/tour/page.ts';
import { splitSpecification } from '../test/tour/specification.ts';

const USAGE = `Usage: npm run tour [-- FILE]

Writes test/tour/README.md: each sentence of the specification with its lines of source and its tests.
With FILE, the specification in Markdown, prints each of its sentences above that of the tour, and writes nothing.
Exit codes: 0 done, 1 a line or a test is not there, or a sentence has no counterpart, 64 wrong arguments.`;

const [file, ...others] = process.argv.slice(2);
if (file === '--help') {
  console.log(USAGE);
} else if (others.length > 0 || file?.startsWith('-')) {
  console.error(USAGE);
  process.exitCode = 64;
} else {
  try {
    await (file === undefined ? writePage() : compare(splitSpecification(readFileSync(file, 'utf8'))));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

async function writePage(): Promise<void> {
  writeFileSync(PAGE, await createPage());
}

function compare(theirs: ReadonlyMap<string, string>): void {
  const ours = new Map(sections.flatMap(({ number, sentences }) => sentences.map(({ says }, index) => [`${number}-${index + 1}`, says])));
  for (const number of new Set([...theirs.keys(), ...ours.keys()])) {
    console.log(`${number}\n  ${theirs.get(number) ?? '(nothing)'}\n  ${ours.get(number) ?? '(nothing)'}\n`);
  }
  const lonely = [...new Set([...theirs.keys(), ...ours.keys()])].filter((number) => !theirs.has(number) || !ours.has(number));
  console.log(`${theirs.size} sentences in the specification, ${ours.size} in the tour${lonely.map((number) => `\nNo counterpart: ${number}`).join('')}`);
  process.exitCode = lonely.length === 0 ? 0 : 1;
}
