/**
 * The pages that explain the problems: one for each type, at the place that its `type` names, and `problems.html`, which
 * lists them all. Made from the catalogue, so that no type is without a page. Their look is that of `static/css/site.css`.
 */
import { STATUS_CODES } from 'node:http';
import { html, toPage, type Markup } from './http/html.ts';
import { toProblemReply, type ProblemType } from './http/problem.ts';
import { problemExplanations, type ProblemExplanation } from './problem-explanations.ts';
import { problemTypes, toProblemPath } from './problems.ts';
import type { Route } from './routes.ts';

interface ExplainedProblem extends ProblemType, ProblemExplanation {
  /** The operations that may answer it, or `any`. */
  readonly operations: readonly Operation[] | 'any';
}

type Operation = Pick<Route, 'operationId' | 'method' | 'path'>;

const EXAMPLE_REQUEST_ID = '8a5c6f0e-2f0b-4a51-9a3e-2f7d0a1b6c9d';

/** What the fields of a problem are for; one that is missing here is shown without words. */
const FIELD_MEANINGS: Readonly<Record<string, string>> = {
  'Content-Type': 'Says that the body is a problem of RFC 9457, whatever was asked for.',
  'X-Request-Id': 'The `request_id` of the body, by which the operator finds the request in the log.',
  'Retry-After': 'The number of seconds to wait.',
  'Allow': 'The methods that this path has.',
  'WWW-Authenticate': 'The ways to sign in: Basic with a username and a password or a token, Bearer with a token.',
  'Content-Range': 'The size of the file in bytes, behind the slash.',
};

/**
 * @param basePath - Such as `/rollcall`; empty for none. The links do not need it, the examples do.
 * @param typesByOperation - The types that each operation may answer.
 * @returns The pages by their paths below `/static/`.
 */
export function createProblemPages(
  basePath: string,
  typesByOperation: ReadonlyMap<Operation, ReadonlySet<ProblemType>>,
): ReadonlyMap<string, string> {
  const names = Object.keys(problemTypes) as (keyof typeof problemTypes)[];
  const explained = names.map((name): ExplainedProblem => {
    const answering = [...typesByOperation].filter(([, types]) => types.has(problemTypes[name])).map(([operation]) => operation);
    const operations = answering.length === typesByOperation.size ? 'any' : answering;
    return { ...problemTypes[name], ...problemExplanations[name], operations };
  });
  return new Map([
    ['problems.html', toPage(indexPage(explained))],
    ...explained.map((problem): [string, string] => {
      return [toProblemPath(problem).replace('/static/', ''), toPage(problemPage(problem, basePath))];
    }),
  ]);
}

function problemPage(problem: ExplainedProblem, basePath: string): Markup {
  const { status, title, slug, meaning, remedy, retry, operations } = problem;
  const reply = toProblemReply(problem.example, {
    requestId: EXAMPLE_REQUEST_ID,
    toTypeUri: (type) => basePath + toProblemPath(type),
  });
  const fields = Object.entries({ ...reply.headers, 'X-Request-Id': EXAMPLE_REQUEST_ID });
  const answer = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    '',
    JSON.stringify(JSON.parse(reply.body.toString()), undefined, 2),
  ];
  return frame({
    root: '../',
    title: `${status} ${title}`,
    description: `What the problem ${slug} of the Rollcall service means and what to do about it.`,
    margin: html`<p class="status">${status}</p>`,
    trail: html`<p class="trail"><a href="../problems.html">All problems</a></p>`,
    heading: title,
    lede: html`<code>${slug}</code>`,
    content: html`
  ${section('What it means', html`<p>${withCode(meaning)}</p>`)}
  ${section('What to do', html`<p>${withCode(remedy)}</p>`)}
  ${section('Try again?', html`<p>${withCode(retry)}</p>`)}
  ${section('An answer', html`<pre role="group" aria-label="Example of an answer" tabindex="0"><code>${answer.join('\n')}</code></pre>
      <dl class="fields">${fields.map(([name]) => field(name))}</dl>`)}
  ${section('Answered by', listOperations(operations))}`,
  });
}

function listOperations(operations: ExplainedProblem['operations']): Markup {
  if (operations === 'any') {
    return html`<p>Any operation.</p>`;
  }
  if (operations.length === 0) {
    return html`<p>No operation: it is answered to requests that reach none.</p>`;
  }
  const items = operations.map(({ operationId, method, path }) => html`
        <li><a href="../reference/#${operationId}"><b>${method}</b> ${path}</a></li>`);
  return html`<ul class="operations">${items}</ul>`;
}

function field(name: string): Markup {
  return html`
        <div><dt><code>${name}</code></dt><dd>${withCode(FIELD_MEANINGS[name] ?? '')}</dd></div>`;
}

function indexPage(explained: readonly ExplainedProblem[]): Markup {
  const statuses = [...new Set(explained.map(({ status }) => status))];
  const lede = 'Errors are answered as `application/problem+json` (RFC 9457). The `type` of a problem is the path of its page ' +
    'here, `detail` says what happened this time, and the operator finds the request in the log by its `request_id`.';
  return frame({
    root: '',
    title: 'Problems',
    description: 'Every problem that the Rollcall service answers, what it means and what to do.',
    margin: html`<img src="icon.svg" alt="" width="72" height="72">`,
    trail: html``,
    heading: 'Problems',
    lede: withCode(lede),
    content: html`${statuses.map((status) => section(String(status), html`
      <dl class="problems">${explained.filter((problem) => problem.status === status).map(entry)}</dl>`))}`,
  });
}

/** The id keeps links alive from the time when all types were on one page. */
function entry({ slug, title, meaning }: ExplainedProblem): Markup {
  return html`
        <div id="${slug}"><dt><a href="problems/${slug}.html">${title}</a></dt><dd>${withCode(meaning, 'problems/')}</dd></div>`;
}

function section(heading: string, content: Markup): Markup {
  return html`
  <section class="sheet">
    <h2>${heading}</h2>
    <div>
      ${content}
    </div>
  </section>`;
}

interface PageParts {
  /** The way from the page to `/static/`. */
  readonly root: string;
  readonly title: string;
  readonly description: string;
  readonly margin: Markup;
  readonly trail: Markup;
  readonly heading: string;
  readonly lede: Markup;
  readonly content: Markup;
}

function frame({ root, title, description, margin, trail, heading, lede, content }: PageParts): Markup {
  return html`<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title} · Rollcall</title>
  <meta name="description" content="${description}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="${root}icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="${root}shared/base.css">
  <link rel="stylesheet" href="${root}css/site.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>

<header class="top">
  <a class="brand" href="${root}index.html">
    <img src="${root}icon.svg" alt="" width="26" height="26"> <span>Rollcall</span>
  </a>
  <nav aria-label="Pages of Rollcall">
    <ul>
      <li><a href="${root}console/">Console</a></li>
      <li><a href="${root}reference/">Reference</a></li>
      <li><a href="${root}problems.html" aria-current="true">Problems</a></li>
    </ul>
  </nav>
</header>

<div class="sheet masthead page">
  ${margin}
  <div>
    ${trail}
    <h1>${heading}</h1>
    <p class="lede">${lede}</p>
  </div>
</div>

<main id="content" tabindex="-1">${content}
</main>

<footer class="sheet">
  <p><a href="${root}problems.html">All problems</a></p>
</footer>
</body>
</html>
`;
}

/**
 * Text with code in back-ticks; the name of a problem becomes a link to its page.
 *
 * @param folder - The way to the pages of problems.
 */
function withCode(text: string, folder = ''): Markup {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : toCode(part, folder)))}`;
}

function toCode(text: string, folder: string): Markup {
  const isProblem = Object.values(problemTypes).some(({ slug }) => slug === text);
  return isProblem ? html`<a href="${folder}${text}.html"><code>${text}</code></a>` : html`<code>${text}</code>`;
}
