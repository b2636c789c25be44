/** The generated pages for browsers: the problems, and the page for a wrong address. */
import type { Operations } from '../../api/operation.ts';
import { problemTypes, type ProblemSlug } from '../../api/problem-types.ts';
import { problemPath, problems, slugOf, type ProblemName } from '../../api/problems.ts';
import { STATUS_CODES } from '../../http/node-http.ts';
import { framePage, html, type Markup } from './html.ts';
import { problemsOf } from './openapi.ts';
import { problemExample } from './problem-schema.ts';
import { problemTexts } from './problem-texts.ts';

/** The path of the page below `/static/`. */
export const PROBLEM_PAGE_KEY = 'problems.html';

/** The operations that may answer with a type of problem: their ids, and titles of method and path. */
type Answering = ReadonlyMap<ProblemSlug, readonly (readonly [id: string, title: string])[]>;

/**
 * The page that explains every problem, generated from the catalogue, with an anchor for each type.
 *
 * @param basePath - A prefix such as `/rollcall`, or empty. Examples need it; links do not.
 */
export function createProblemPage(operations: Operations, basePath: string): string {
  const names = Object.keys(problems) as ProblemName[]; // `problems` has no other keys
  const namesBySlug = Map.groupBy(names, (name) => slugOf(name));
  const answering = findAnswering(operations);
  const total = Object.keys(operations).length;
  const sections = [...namesBySlug].map(([slug, [name]]) => {
    return name === undefined ? html`` : section(slug, name, answering, total, basePath);
  });
  return framePage({
    title: 'Problems',
    description: 'Every problem that the Rollcall service answers, what it means and what to do.',
    root: '',
    current: PROBLEM_PAGE_KEY,
    margin: html`<img src="icon.svg" alt="" width="72" height="72">`,
    lede: html`Every error is <code>application/problem+json</code> (RFC 9457). Its <code>type</code>
    leads to a section of this page, <code>detail</code> says what happened, and the operator finds the
    request in the log by its <code>request_id</code>.`,
  }, html`${sections}`);
}

function findAnswering(operations: Operations): Answering {
  const found = Object.entries(operations).flatMap(([id, operation]) => {
    const slugs = new Set([...problemsOf(operation)].map((name) => slugOf(name)));
    return [...slugs].map((slug) => ({
      slug, entry: [id, `${operation.method} ${operation.path}`] as const,
    }));
  });
  const groups = Map.groupBy(found, ({ slug }) => slug);
  return new Map([...groups].map(([slug, entries]) => [slug, entries.map(({ entry }) => entry)]));
}

function section(
  slug: ProblemSlug,
  name: ProblemName,
  answering: Answering,
  total: number,
  basePath: string,
): Markup {
  const example = problemExample(name, (other) => basePath + problemPath(other));
  const { status, title } = problemTypes[slug];
  const { meaning, remedy, retry } = problemTexts[slug];
  const answer =
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\n\n${JSON.stringify(example, undefined, 2)}`;
  return html`
  <section class="sheet" id="${slug}">
    <h2><span class="status">${status}</span> ${title}</h2>
    <div>
      <p><code>${slug}</code></p>
      <p>${withCode(meaning)}</p>
      <h3>What to do</h3>
      <p>${withCode(remedy)}</p>
      <h3>Try again?</h3>
      <p>${withCode(retry)}</p>
      <details>
        <summary>Example, and the operations that answer it</summary>
        <pre role="group" aria-label="Example of ${slug}" tabindex="0"><code>${answer}</code></pre>
        ${operationList(answering.get(slug) ?? [], total)}
      </details>
    </div>
  </section>`;
}

function operationList(entries: readonly (readonly [id: string, title: string])[], total: number): Markup {
  if (entries.length === total) {
    return html`<p>Any operation.</p>`;
  }
  if (entries.length === 0) {
    return html`<p>Requests that reach no operation.</p>`;
  }
  const items = entries.map(([id, title]) => html`
          <li><a href="reference/#${id}">${title}</a></li>`);
  return html`<ul class="operations">${items}</ul>`;
}

/** Marks text in back-ticks as code, and turns the slug of a problem into a link to its section. */
function withCode(text: string): Markup {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : code(part)))}`;
}

function code(text: string): Markup {
  const isProblem = Object.hasOwn(problemTypes, text);
  return isProblem ? html`<a href="#${text}"><code>${text}</code></a>` : html`<code>${text}</code>`;
}

/**
 * The page for a wrong address. It is the same for every address, and repeats no part of it.
 *
 * @param basePath - A prefix such as `/rollcall`, or empty. Links need it: the page appears at any depth, so
 *   they cannot be relative.
 */
export function createNotFoundPage(basePath: string): string {
  const root = `${basePath}/static/`;
  return framePage({
    title: 'There is no page at this address',
    description: 'The Rollcall service has nothing at this address.',
    root,
    margin: html`<p class="status">404</p>`,
    lede: html`The link may be old, or the address misspelt: upper and lower case matter. The service itself
    is fine.`,
  }, html`
  <section class="sheet">
    <h2>Go to</h2>
    <div>
      <p class="doors">
        <a class="button primary" href="${root}console/">The console</a>
        <a class="button" href="${root}reference/">The API reference</a>
        <a href="${root}index.html">About Rollcall</a>
      </p>
      <p class="note">Programs get this as JSON, unless they accept only <code>text/html</code>: the problem
        <a href="${root}problems.html#not-found"><code>not-found</code></a>.</p>
    </div>
  </section>`);
}
