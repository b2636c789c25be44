/** Writes the tour of the specification: each sentence with its declaration and the tests that show it. */
import { readdirSync, readFileSync } from 'node:fs';
import { sections } from './sentences.ts';

export const PAGE = new URL('README.md', import.meta.url);

const HEAD = `# The specification, sentence by sentence

Each row has a sentence of the specification in our words, the declaration in \`src/\` that makes it true, and
the tests that show it. "Open" means that the specification does not decide; the row says what holds here.

\`npm run tour\` writes this page from the table in [sentences.ts](sentences.ts) and from comments such as
\`// spec 4.3-6\` above the tests. A test fails when a sentence has no test, when a comment or a declaration
leads nowhere, or when this page is not up to date. A number is the heading of the specification ("Endpoints"
is the fourth) and the place of the sentence below it. Sentences that announce or repeat others have no row.
`;

/** A line of a file that the page links to. */
interface Place {
  /** Path from the top of the project. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** A title as it is written, or a name; undefined where no test stands. */
  readonly text: string | undefined;
}

type Files = Readonly<Record<string, string>>;

/** @throws Error that lists all mistakes. */
export function createPage(): string {
  return writePage(sections, readFiles('src'), readFiles('test'));
}

/** @param tests - Texts of files by path, as `sources`. @throws Error that lists all mistakes. */
export function writePage(table: typeof sections, sources: Files, tests: Files): string {
  const tags = findTags(tests);
  const numbers = Object.values(table).flat().map(([number]) => number);
  const mistakes = tags.flatMap(({ number, place: { file, line, text } }) => {
    if (text === undefined) {
      return [`${file}:${line}: expected a test below the comment "// spec ${number}"`];
    }
    return numbers.includes(number) ? [] : [`${file}:${line}: the tour has no sentence ${number}`];
  });
  const parts = Object.entries(table).map(([title, sentences]) => {
    const rows = sentences.map(([number, says, name]) => {
      const declarations = findDeclarations(name, sources);
      const shownBy = tags.filter((tag) => tag.number === number).map(({ place }) => place);
      if (declarations.length !== 1) {
        mistakes.push(`${number}: expected one declaration of ${name} in src/, found ${declarations.length}`);
      }
      if (shownBy.length === 0) {
        mistakes.push(`${number}: no test has the comment "// spec ${number}"`);
      }
      return `| ${number} | ${escape(says)} | ${linkAll(declarations)} | ${linkAll(shownBy)} |`;
    });
    return `## ${title}\n\n| | Sentence | Source | Tests |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  if (mistakes.length > 0) {
    throw new Error(mistakes.join('\n'));
  }
  return [HEAD, ...parts].join('\n');
}

/** A comment `// spec 4.3-6, 7-4` belongs to the test that begins in the next line. */
function findTags(tests: Files): readonly { readonly number: string; readonly place: Place }[] {
  return Object.entries(tests).flatMap(([file, text]) =>
    [...text.matchAll(/^ *\/\/ spec (.+)\n/gm)].flatMap(({ 0: comment, 1: numbers = '', index }) => {
      const [, , title] = /^ *test\(\s*(['"`])(.*?)\1,/.exec(text.slice(index + comment.length)) ?? [];
      const place = { file, line: lineAt(text, index) + 1, text: title };
      return numbers.split(', ').map((number) => ({ number, place }));
    }),
  );
}

function findDeclarations(name: string, sources: Files): readonly Place[] {
  const keywords = '(?:async )?(?:function\\*?|const|class|interface|type)';
  const declaration = new RegExp(
    `^ *(export )?(?:${keywords} ${name}\\b|${name}: (?:operation|greet)\\()`, 'gm',
  );
  const found = Object.entries(sources).flatMap(([file, text]) =>
    [...text.matchAll(declaration)].map(({ 0: found, 1: exported, index }) => ({
      // an operation is a member of an exported object
      isExported: exported !== undefined || found.includes(': '),
      place: { file, line: lineAt(text, index), text: name },
    })),
  );
  const exported = found.filter(({ isExported }) => isExported);
  return (exported.length > 0 ? exported : found).map(({ place }) => place);
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function linkAll(places: readonly Place[]): string {
  return places.map(({ file, line, text }) => `[${escape(text ?? '')}](../../${file}#L${line})`).join('<br>');
}

/** Characters that mean something in Markdown. */
function escape(text: string): string {
  return text.replace(/[|<>*_{}[\]`\\]/g, '\\$&');
}

function readFiles(folder: string): Files {
  const root = new URL('../../', import.meta.url);
  const names = readdirSync(new URL(folder, root), { recursive: true }).map(String).sort();
  const files = names.filter((name) => name.endsWith('.ts') && !name.startsWith('tour/'));
  return Object.fromEntries(
    files.map((name) => [`${folder}/${name}`, readFileSync(new URL(`${folder}/${name}`, root), 'utf8')]),
  );
}
