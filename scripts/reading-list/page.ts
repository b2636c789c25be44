/** Writes the reading list: the files of the specification in the order of reading. */
import { importsOf } from '../../test/support/imports.ts';
import { readFolder } from '../../test/support/project.ts';

/** Files and rooms in the order in which a request enters them. */
const ROOMS: readonly (readonly [prefix: string, title: string])[] = [
  ['service.ts', 'The parts, and the life of a request'],
  ['app.ts', 'The parts, and the life of a request'],
  ['http/listener.ts', 'From the socket to the operation, and back'],
  ['http/pipeline.ts', 'From the socket to the operation, and back'],
  ['http/', 'From the socket to the operation, and back'],
  ['scheduling/', 'Whose turn it is'],
  ['api/', 'How an operation is defined, and its request read'],
  ['resources/', 'The operations'],
  ['auth/', 'The caller'],
  ['model/', 'The vocabulary'],
  ['jsonschema/', 'The check of bodies and parameters'],
  ['stores/', 'The SQL'],
  ['database/', 'The database'],
  ['telemetry/', 'The log'],
  ['', 'The programs'],
];

/** @param files - Paths below `src/`, in any order. */
export function createReadingList(files: readonly string[]): string {
  const sources = new Map(readFolder('src').map((source) => [source.file.slice('src/'.length), source]));
  const ranks = rankByImports(sources);
  const roomOf = (file: string) => ROOMS.findIndex(([prefix]) => file.startsWith(prefix));
  const sorted = files.toSorted((left, right) =>
    roomOf(left) - roomOf(right) || (ranks.get(left) ?? 0) - (ranks.get(right) ?? 0));
  const sections = Map.groupBy(sorted, (file) => ROOMS[roomOf(file)]?.[1] ?? '');
  const titles = new Set(ROOMS.map(([, title]) => title));
  let number = 0;
  const parts = [...titles].filter((title) => sections.has(title)).map((title) => {
    const rows = (sections.get(title) ?? []).map((file) => {
      number += 1;
      return `${number}. [src/${file}](../../src/${file}): ${firstSentence(sources.get(file)?.text ?? '')}`;
    });
    return `## ${title}\n\n${rows.join('\n')}\n`;
  });
  return `# The specification, in ${files.length} files

Read these files from top to bottom, and you have read every function that runs when the 14 operations of the
specification succeed or fail in their main ways. The tables are in
[src/stores/schema.ts](../../src/stores/schema.ts). [A test](../../test/core/specification-path.test.ts) sends
[the requests](requests.ts) to the built server, and fails when they enter another file. \`npm run docs\`
writes this page.

${parts.join('\n')}`;
}

/** Ranks the files in the order in which a reader meets them who follows the imports of each file in turn. */
function rankByImports(sources: ReadonlyMap<string, { file: string; text: string }>): Map<string, number> {
  const ranks = new Map<string, number>();
  function visit(file: string): void {
    const source = sources.get(file);
    if (source !== undefined && !ranks.has(file)) {
      ranks.set(file, ranks.size);
      importsOf(source).forEach(({ target }) => visit(target.slice('src/'.length)));
    }
  }
  ['service.ts', ...sources.keys()].forEach(visit);
  return ranks;
}

/** The first sentence of the comment at the head of a file. */
function firstSentence(text: string): string {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(text) ?? [];
  const words = comment.replaceAll(/\n \*/g, ' ').replaceAll(/\s+/g, ' ').trim();
  return /^.*?[.:](?= |$)/.exec(words)?.[0].replace(/:$/, '.') ?? words;
}
