/** Writes the page of the walk: one request, the lines of code that handle the request, and exercises. */
import { basename } from 'node:path';
import { mutate } from '../support/mutants.ts';
import { findLines, mapAll, readFiles, urlOf, type Excerpt, type Files } from '../support/sources.ts';
import { exercises, type Exercise } from './exercises.ts';
import { COMMAND, LOG_LINE, RESPONSE, steps } from './steps.ts';

const HEAD = `# A walk along one request

This page follows one request from the socket to the disk and back: \`POST /api/v1/projects\` with a token.
For the whole specification, see [the tour](../tour/README.md).

[The request](#the-request) · [the steps](#the-steps) · [ten exercises](#ten-exercises)

## The request

Start the service with \`npm start\` on an empty database, and run
[the example of the front page](../../README.md#the-api-by-example) without its last command, which revokes
the token.

\`\`\`sh
${COMMAND}
\`\`\`

The response, with one of its header fields:

\`\`\`http
${RESPONSE}
\`\`\`

The line in the log (at a terminal, set \`LOG_FORMAT=json\` to see this form):

\`\`\`json
${LOG_LINE}
\`\`\`

## The steps

\`\`\`text
 client        http/        app.ts       auth/        resources/   stores/      database/    disk
   ├─ header ──►│ 1 pipeline
   │            ├───────────►│ 2 answer
   │            │            ├─────── 3 route ────────►│ 4 operation
   ├───────── body ─────────►│
   │            │            ├───────────►│ 5 parse
   │            │            │            ├───────── 6 find by digest ──────────►│
   │            │            │◄──────────────────── caller ──────────────────────┤
   │            │            │ 7 JSON?
   │            │            ├──────── valid? ────────►│ 8 handler
   │            │            │            │            ├───────────►│ 9 guarded
   │            │            │            │            │            │ statements
   │            │            │            │            │            ├───────────►│ 10 commit
   │            │            │            │            │            │            ├─── WAL ───►│
   │            │            │            │            │            │            │◄─ fsync ───┤
   │            │            │            │            │◄─── a row, or none ─────┤
   │            │            │◄──── 201 and JSON ──────┤
   │            │◄─ reply ───┤
   │◄── 201 ────┤
   │            │            │ 11 log line
\`\`\`
`;

const EXERCISES_HEAD = `## Ten exercises

Each exercise changes one place in the code. Guess which of the linked tests then fail, and why.
\`npm run exercise 1\` makes the change, runs only the linked tests, explains failures, and undoes the change.
`;

export function createWalk(): string {
  const sources = readFiles('src');
  const parts = mapAll(steps, ([title, says, ...excerpts], index) => [
    `### ${index + 1}. ${title}\n`, `${says.trim()}\n`,
    ...mapAll(excerpts, (excerpt) => quote(excerpt, sources)),
  ].join('\n'));
  const tasks = mapAll(exercises, (exercise, index) => writeExercise(exercise, index + 1, sources));
  return [HEAD, ...parts, EXERCISES_HEAD, ...tasks, ''].join('\n');
}

export function quote(excerpt: Excerpt, sources: Files): string {
  const { file, first, lines } = findLines(excerpt, sources);
  const code = outdent(lines).join('\n');
  return `[${file}:${first}](${urlOf(file, first)})\n\n\`\`\`ts\n${code}\n\`\`\`\n`;
}

/** @returns The number of the first changed line, and the change as lines that begin with `-` or `+`. */
export function toDiff(source: string, exercise: Exercise): { readonly line: number; readonly diff: string } {
  const old = source.split('\n');
  const now = mutate(source, exercise).split('\n');
  const start = old.findIndex((line, index) => line !== now[index]);
  const same = [...old].reverse().findIndex((line, index) => line !== [...now].reverse()[index]);
  const removed = old.slice(start, old.length - same);
  const changed = outdent([...removed, ...now.slice(start, now.length - same)]);
  const diff = changed.map((line, index) => `${index < removed.length ? '-' : '+'} ${line}`).join('\n');
  return { line: start + 1, diff };
}

function writeExercise(exercise: Exercise, number: number, sources: Files): string {
  const { title, file, testFile } = exercise;
  const { line } = toDiff(sources[file] ?? '', exercise);
  const fault = title.charAt(0).toLowerCase() + title.slice(1);
  return `${number}. Break it: ${fault} [${file}:${line}](${urlOf(file, line)}), ` +
    `[${basename(testFile)}](../../${testFile})`;
}

function outdent(lines: readonly string[]): readonly string[] {
  const margins = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...margins)));
}
