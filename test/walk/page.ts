/** Writes the walk: one request with the lines of code that it meets, and exercises along the way. */
import { mutate } from '../support/mutants.ts';
import {
  escapeMarkdown, findLines, mapAll, readFiles, urlOf, type Excerpt, type Files,
} from '../support/sources.ts';
import { exercises, type Exercise } from './exercises.ts';
import { COMMAND, LOG_LINE, RESPONSE, steps } from './steps.ts';

const HEAD = `# A walk along one request

This page follows one request, \`POST /api/v1/projects\` with a token, from the socket to the disk and
back. It takes twenty minutes. The lines of code are copied from the source by \`npm run docs\`, and a test
fails when they are not up to date. For all sentences of the specification, see [the tour](../tour/README.md).

[The request](#the-request) · [the way](#the-way) · [five files](#five-files-in-half-an-hour) ·
[ten exercises](#ten-exercises)

## The request

Start the service with \`npm start\` on an empty database, and run
[the example of the front page](../../README.md#the-api-by-example) without its last line, which revokes the
token.

\`\`\`sh
${COMMAND}
\`\`\`

The response, here with one of its header fields:

\`\`\`http
${RESPONSE}
\`\`\`

And the line in the log (set \`LOG_FORMAT=json\` to see it at a terminal):

\`\`\`json
${LOG_LINE}
\`\`\`

## The way

\`\`\`text
 client        http/        app.ts       auth/        resources/   stores/      database/    disk
   ├─ header ──►│ 1 pipeline │            │            │            │            │            │
   │            ├───────────►│ 2 answer   │            │            │            │            │
   │            │            ├─────── 3 router ───────►│ 4 operation│            │            │
   ├───────── body ─────────►│            │            │            │            │            │
   │            │            ├───────────►│ 5 parse    │            │            │            │
   │            │            │            ├───────── 6 find by digest ──────────►│            │
   │            │            │◄──────────────────── caller ──────────────────────┤            │
   │            │            │ 7 JSON?    │            │            │            │            │
   │            │            ├──────── valid? ────────►│ 8 handler  │            │            │
   │            │            │            │            ├───────────►│ 9 three    │            │
   │            │            │            │            │            │ statements │            │
   │            │            │            │            │            ├───────────►│ 10 commit  │
   │            │            │            │            │            │            ├─── WAL ───►│
   │            │            │            │            │            │            │◄─ fsync ───┤
   │            │            │            │            │◄─── a row, or none ─────┤            │
   │            │            │◄──── 201 and JSON ──────┤            │            │            │
   │            │◄─ reply ───┤            │            │            │            │            │
   │◄── 201 ────┤            │            │            │            │            │            │
   │            │            │ 11 log line│            │            │            │            │
\`\`\`
`;

const FIVE = [
  ['src/app.ts', 'In which order is a request checked? Why is the caller asked for after the body?'],
  ['src/resources/projects.ts', 'What must you change to add a member to a project?'],
  ['src/stores/projects.ts', 'How does a statement tell its caller what happened, without an exception?'],
  ['src/auth/authenticate.ts', 'How long does a wrong password take, and how long an unknown user?'],
  ['src/database/sqlite.ts', 'When exactly is a write acknowledged?'],
];

const FIVE_FILES = `## Five files in half an hour

Read them in this order, each with a question in mind. The answers are in the files.

| | File | Question |
|--:|---|---|
${FIVE.map(([file, asks], index) => `| ${index + 1} | [${file}](../../${file}) | ${asks} |`).join('\n')}
`;

const EXERCISES_HEAD = `## Ten exercises

Each changes one place. Guess which tests of the named file fail, and why, before you open the answer. To try
one, make the change and run the command; \`git checkout src\` undoes it. [A test](exercises.test.ts) makes
every one of these changes in a copy of the sources, and finds that exactly these tests fail.
`;

/** @throws Error that lists all mistakes. */
export function createWalk(): string {
  const sources = readFiles('src');
  const parts = mapAll(steps, ({ title, says, excerpts }, index) => [
    `### ${index + 1}. ${title}\n`, `${says.trim()}\n`,
    ...mapAll(excerpts, (excerpt) => quote(excerpt, sources)),
  ].join('\n'));
  const tasks = mapAll(exercises, (exercise, index) => writeExercise(exercise, index + 1, sources));
  return [HEAD, ...parts, FIVE_FILES, EXERCISES_HEAD, ...tasks].join('\n');
}

/** @throws Error if the lines are not found, or not where they should be. */
export function quote(excerpt: Excerpt, sources: Files): string {
  const { file, first, lines } = findLines(excerpt, sources);
  const code = outdent(lines).join('\n');
  return `[${file}:${first}](${urlOf(file, first)})\n\n\`\`\`ts\n${code}\n\`\`\`\n`;
}

function writeExercise(exercise: Exercise, number: number, sources: Files): string {
  const { title, file, testFile, failing, why } = exercise;
  const text = sources[file] ?? '';
  const old = text.split('\n');
  const now = mutate(text, exercise).split('\n');
  const start = old.findIndex((line, index) => line !== now[index]);
  const same = [...old].reverse().findIndex((line, index) => line !== [...now].reverse()[index]);
  const removed = old.slice(start, old.length - same);
  const added = now.slice(start, now.length - same);
  const changed = outdent([...removed, ...added]);
  const diff = changed.map((line, index) => `${index < removed.length ? '-' : '+'} ${line}`).join('\n');
  const titles = failing.map((name) => `- ${escapeMarkdown(name)}`).join('\n');
  return `### Exercise ${number}

${title} In [${file}:${start + 1}](${urlOf(file, start + 1)}):

\`\`\`diff
${diff}
\`\`\`

\`\`\`sh
npm test -- ${testFile}
\`\`\`

<details>
<summary>Which tests fail, and why?</summary>

${failing.length === 0 ? '' : `${titles}\n\n`}${why}

</details>
`;
}

/** Takes away the white space that all lines begin with. */
function outdent(lines: readonly string[]): readonly string[] {
  const margins = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...margins)));
}
