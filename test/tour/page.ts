/** Writes the tour of the specification: each sentence with links to its line of code and to its tests. */
import { basename } from 'node:path';
import { findLines, mapAll, readFiles, urlOf, type Files } from '../support/sources.ts';
import { sections, type Sentence } from './sentences.ts';

const HEAD = `# The specification, sentence by sentence

Rollcall implements a specification of its API. Each entry rephrases one sentence of this specification. Links
lead to the line that implements the sentence, and to the tests. If the specification does not decide a
matter, the entry states what Rollcall does. The number 4.3-6 means heading 4 ("Endpoints"), subheading 3,
sentence 6. Sentences that only announce or repeat other sentences have no entry.

\`npm run docs\` writes this page from [sentences.ts](sentences.ts) and from comments such as
\`// spec 4.3-6\` above the tests. A test fails when a sentence has no test.
`;

export function createTour(): string {
  return writeTour(sections, readFiles('src'), readFiles('test'));
}

/** @param tests - The text of each test file, by its path. @throws Error that lists all mistakes. */
export function writeTour(table: typeof sections, sources: Files, tests: Files): string {
  const tags = findTags(tests);
  const numbers = Object.values(table).flat().map(([number]) => number);
  mapAll(tags, ({ number, file, line, title }) => {
    if (title === undefined) {
      throw new Error(`${file}:${line}: expected a test below the comment "// spec ${number}"`);
    }
    if (!numbers.includes(number)) {
      throw new Error(`${file}:${line}: the tour has no sentence ${number}`);
    }
  });
  const parts = mapAll(Object.entries(table), ([title, sentences]) => {
    const entries = mapAll(sentences, (sentence) => writeSentence(sentence, sources, tags));
    const count = `${sentences.length} sentence${sentences.length > 1 ? 's' : ''}`;
    return `## ${title}\n\n<details><summary>${count}</summary>\n\n${entries.join('\n\n')}\n\n</details>\n`;
  });
  return [HEAD, ...parts].join('\n');
}

/** The comment `// spec 4.3-6, 7-4` describes the next test. If no test follows, `title` is `undefined`. */
function findTags(tests: Files) {
  return Object.entries(tests).flatMap(([file, text]) =>
    [...text.matchAll(/^ *\/\/ spec (.+)\n/gm)].flatMap(({ 0: comment, 1: numbers = '', index }) => {
      const below = text.slice(index + comment.length);
      const [, , title] = /^ *[\w.]+\(\s*(['"`])(.*?)\1,/.exec(below) ?? [];
      const line = text.slice(0, index).split('\n').length + 1;
      return numbers.split(', ').map((number) => ({ number, file, line, title }));
    }),
  );
}

function writeSentence(
  [number, says, from, to]: Sentence, sources: Files, tags: ReturnType<typeof findTags>,
): string {
  const { file, first, lines } = findLines({ from, to }, sources);
  const line = first + lines.length - 1;
  const shownBy = tags.filter((tag) => tag.number === number);
  if (shownBy.length === 0) {
    throw new Error(`${number}: no test has the comment "// spec ${number}"`);
  }
  const links = [toLink(file, line), ...shownBy.map((tag) => toLink(tag.file, tag.line))];
  const [made = '', ...shown] = links;
  return `**${number}** ${says.replace(/[|<>*_{}[\]`\\]/g, '\\$&')} ${made}, ${shown.join(', ')}`;
}

/** The text of a link is like `src/api/body.ts:107` for code, and like `06-projects:73` for a test. */
function toLink(file: string, line: number): string {
  const name = file.startsWith('test/') ? basename(file, '.test.ts') : file;
  return `[${name}:${line}](${urlOf(file, line)})`;
}
