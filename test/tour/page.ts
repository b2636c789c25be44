/** Writes the tour of the specification: each sentence with its line of code and its tests. */
import { sections } from './sentences.ts';
import { lineAt, readFiles, type Files } from '../support/sources.ts';

export const PAGE = new URL('README.md', import.meta.url);

const HEAD = `# The specification, sentence by sentence

Each entry has three parts: the sentence of the specification in our words, the line that makes it true, and
the tests that show it. "Left open" means that the specification does not decide; the sentence then says what
holds here. A number is the heading of the specification ("Endpoints" is the fourth) and the place of the
sentence below it. Sentences that announce or repeat others have no entry.

\`npm run tour\` writes this page from the table in [sentences.ts](sentences.ts) and from comments such as
\`// spec 4.3-6\` above the tests. A test fails when a sentence has no test, when a comment or a line leads
nowhere, or when this page is not up to date. In the title of a test, "…" stands for what differs from row to
row of its table.
`;

/** A line in a file, the target of a link. */
interface Place {
  /** Path from the top of the project. */
  readonly file: string;
  /** The number of the line, from 1. */
  readonly line: number;
  /** The title of the test or the code at this line; `undefined` if a test is missing here. */
  readonly text: string | undefined;
}

/** @throws Error that lists all mistakes. */
export function createPage(): string {
  return writePage(sections, readFiles('src', /\.ts$/), readFiles('test', /^(?!tour\/).*\.ts$/));
}

/** @param tests - The texts of test files by path. @throws Error that lists all mistakes. */
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
    const entries = sentences.map(([number, says, name, part]) => {
      const declarations = findDeclarations(name, sources);
      const [declaration] = declarations;
      const place = declaration && findLine(declaration, sources, part);
      const shownBy = tags.filter((tag) => tag.number === number).map((tag) => tag.place);
      if (declarations.length !== 1) {
        mistakes.push(`${number}: expected one declaration of ${name} in src/, found ${declarations.length}`);
      } else if (place === undefined) {
        mistakes.push(`${number}: expected a line with "${part}" below the declaration of ${name}`);
      }
      if (shownBy.length === 0) {
        mistakes.push(`${number}: no test has the comment "// spec ${number}"`);
      }
      return [
        `**${number}** ${escape(says)}\n`,
        ...(place === undefined ? [] : [`- ${linkToLine(place)}`]),
        ...shownBy.map((test) => `- shown by [${escape(toTitle(test.text))}](${toUrl(test)})`),
      ].join('\n');
    });
    return `## ${title}\n\n${entries.join('\n\n')}\n`;
  });
  if (mistakes.length > 0) {
    throw new Error(mistakes.join('\n'));
  }
  return [HEAD, ...parts].join('\n');
}

/** A comment `// spec 4.3-6, 7-4` belongs to the test that begins on the next line. */
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
      // an operation counts as exported, because it is a member of an exported object
      isExported: exported !== undefined || found.includes(': '),
      place: { file, line: lineAt(text, index), text: name },
    })),
  );
  const exported = found.filter(({ isExported }) => isExported);
  return (exported.length > 0 ? exported : found).map(({ place }) => place);
}

/** @returns The first line that contains `part`, from the declaration on. */
function findLine({ file, line }: Place, sources: Files, part = ''): Place | undefined {
  const lines = (sources[file] ?? '').split('\n');
  const index = lines.findIndex((text, at) => at >= line - 1 && text.includes(part));
  return index === -1 ? undefined : { file, line: index + 1, text: lines[index] };
}

function linkToLine(place: Place): string {
  const code = (place.text ?? '').trim();
  const fence = code.includes('`') ? '``' : '`';
  const space = /^`|`$/.test(code) ? ' ' : '';
  return `[${place.file}:${place.line}](${toUrl(place)}) ${fence}${space}${code}${space}${fence}`;
}

function toUrl({ file, line }: Place): string {
  return `../../${file}#L${line}`;
}

/** Replaces the expressions in a title that is a template. */
function toTitle(text = ''): string {
  return text.replace(/\$\{[^}]*\}/g, '…');
}

/** Escapes the characters with a meaning in Markdown. */
function escape(text: string): string {
  return text.replace(/[|<>*_{}[\]`\\]/g, '\\$&');
}
