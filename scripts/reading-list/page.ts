/** Writes the page with the reading list. */
import { importsOf } from '../../test/support/imports.ts';
import { readFolder } from '../../test/support/project.ts';

/** A request reaches these files and folders in this order. `skip` says what readers can skip. */
const ROOMS: readonly (readonly [prefixes: string, title: string, skip?: string])[] = [
  ['core.ts app.ts', 'The life of a request'],
  ['http/listener.ts http/pipeline.ts http/', 'From the socket to the operation, and back',
    'Skip client-address.ts, conditional.ts and cross-origin.ts: each file is clear by itself.'],
  ['scheduling/', 'Whose turn it is', 'Skip this file, which schedules expensive work.'],
  ['api/', 'The definition of an operation'],
  ['resources/', 'The operations',
    'Read projects.ts, and rules.ts, which checks names. The other files are similar to projects.ts. In ' +
    'users.ts, createUser itself checks who sent the request.'],
  ['auth/', 'The caller',
    'Skip expiring-map.ts, throttle.ts (a limit on guesses) and change-budget.ts (a limit on changes).'],
  ['model/', 'The vocabulary'],
  ['jsonschema/', 'The check of bodies and parameters', 'Skip this JSON Schema validator.'],
  ['stores/guards.ts stores/list.ts stores/projects.ts stores/', 'The SQL',
    'Skip findNarrower in list.ts.'],
  ['database/', 'The database'],
  ['telemetry/', 'The log', 'Skip this file.'],
];

/** Each of these five files answers its question. */
const FIVE = [
  ['src/app.ts',
    'In which order is a request checked? Why does the body arrive before the caller is checked?'],
  ['src/resources/projects.ts', 'Which members can a JSON body have? Which refusals can follow?'],
  ['src/stores/guards.ts', 'A batch throws no exception: how does the store learn which guard failed?'],
  ['src/auth/password-check.ts', 'Is an unknown username refused as slowly as a wrong password?'],
  ['src/database/sqlite.ts', 'When exactly is a write acknowledged?'],
];

/**
 * A file is listed if at least 15 % of its code is in functions that ran during the measurement. The page
 * mentions all remaining files in one sentence.
 */
export function chooseFiles(shares: ReadonlyMap<string, number>) {
  const files = [...shares.keys()].filter((file) => !file.startsWith('extras/'));
  const isListed = (file: string) => Number(shares.get(file)) >= 0.15;
  return { listed: files.filter(isListed), others: files.filter((file) => !isListed(file)) };
}

/** @param shares - The result of `measurePath`. */
export function createReadingList(shares: ReadonlyMap<string, number>): string {
  const { listed, others } = chooseFiles(shares);
  const sources = new Map(readFolder('src').map((source) => [source.file.slice('src/'.length), source]));
  const ranks = rankByImports(sources);
  const places = ROOMS.flatMap(([prefixes, title]) =>
    prefixes.split(' ').map((prefix) => ({ prefix, title })));
  const placeOf = (file: string) => places.findIndex(({ prefix }) => file.startsWith(prefix));
  const sorted = listed.toSorted((left, right) =>
    placeOf(left) - placeOf(right) || (ranks.get(left) ?? 0) - (ranks.get(right) ?? 0));
  const parts = ROOMS.flatMap(([, title, skip]) => {
    const rows = sorted.flatMap((file, index) =>
      places[placeOf(file)]?.title === title ? [`${index + 1}. ${toLink(file)}`] : []);
    const advice = skip === undefined ? '' : `*${skip}*\n\n`;
    return rows.length === 0 ? [] : [`## ${title}\n\n${advice}${rows.join('\n')}\n`];
  });
  return `# A reading list: the specification in ${sorted.length} files

In half an hour, read these five files.

| | File | Question |
|--:|---|---|
${FIVE.map(([file, asks], index) => `| ${index + 1} | [${file}](../../${file}) | ${asks} |`).join('\n')}

In an afternoon, read the files below in order; the lines in italics say what to skip. The 14 operations of
the [specification](../../test/tour/README.md) call only functions of the listed files, and a few functions of
${new Intl.ListFormat('en-GB').format(others.map(toLink)).replaceAll(' [', '\n[')}.
Requests with unusual failures call more functions.
The tables are in [schema.ts](../../src/stores/schema.ts), the JSON in
[representations.ts](../../src/stores/representations.ts), the type Origin in
[audit.ts](../../src/model/audit.ts), \`PRAGMA synchronous\` in
[sqlite-files.ts](../../src/database/sqlite-files.ts), and the services in [core.ts](../../src/core.ts). A
failed sign-in also calls [extras/audit/failure-report.ts](../../src/extras/audit/failure-report.ts).

[A test](../../test/core/specification-path.test.ts) sends [requests](requests.ts) to the 14 operations, and
checks this list.

${parts.join('\n')}`;
}

const toLink = (file: string) => `[${file}](../../src/${file})`;

/** A depth-first walk through the imports gives each file its rank. */
function rankByImports(sources: ReadonlyMap<string, { file: string; text: string }>): Map<string, number> {
  const ranks = new Map<string, number>();
  function visit(file: string): void {
    const source = sources.get(file);
    if (source !== undefined && !ranks.has(file)) {
      ranks.set(file, ranks.size);
      importsOf(source).forEach(({ target }) => visit(target.slice('src/'.length)));
    }
  }
  ['core.ts', ...sources.keys()].forEach(visit);
  return ranks;
}
