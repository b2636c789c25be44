/** The sections of the page of problems: one for each type, with the type as the anchor. */
import type { Operations } from '../../api/operation.ts';
import { problemPath, problems, problemTypes, slugOf, type ProblemName } from '../../api/problems.ts';
import { STATUS_CODES } from '../../http/node-http.ts';
import { problemTexts } from './problem-texts.ts';
import { exampleOf, problemExample, problemsOf } from './problems.ts';

export function problemSections(operations: Operations, basePath: string): string {
  const operationsBySlug = Object.entries(operations).map(([id, operation]) => ({
    link: `<a href="reference/#${id}">${operation.method} ${operation.path}</a>`,
    slugs: new Set([...problemsOf(operation)].map(slugOf)),
  }));
  const names = Object.keys(problems) as ProblemName[]; // `problems` has no other keys
  return [...Map.groupBy(names, slugOf)].map(([slug, [name = 'internalError']]) => {
    const links = operationsBySlug.filter(({ slugs }) => slugs.has(slug)).map(({ link }) => link);
    const { status, title } = problemTypes[slug];
    const example = problemExample(name, (other) => basePath + problemPath(other));
    const json = escapeHtml(JSON.stringify(example, undefined, 2));
    const response = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\n\n${json}`;
    return `
  <section class="sheet" id="${slug}">
    <h2><span class="status">${status}</span> ${title}</h2>
    <div>
      <p><code>${slug}</code></p>
      <p>${withCode(problemTexts[slug])}</p>
      <p>Try again? ${withCode(retryOf(name))}</p>
      <details>
        <summary>Example, and the operations with this problem</summary>
        <pre role="group" aria-label="Example of ${slug}" tabindex="0"><code>${response}</code></pre>
        ${listOperations(links, operationsBySlug.length)}
      </details>
    </div>
  </section>`;
  }).join('');
}

function retryOf(name: ProblemName): string {
  const { status } = problemTypes[slugOf(name)];
  if (exampleOf(name).headers?.['Retry-After'] !== undefined) {
    return 'Yes, after the number of seconds in `Retry-After`.';
  }
  return status === 408 || status >= 500
    ? 'Yes: the request itself is not the cause.'
    : 'Not without a change: the same request gets the same response.';
}

function listOperations(links: readonly string[], total: number): string {
  if (links.length === total) {
    return '<p>Any operation can respond with this problem.</p>';
  }
  return links.length === 0
    ? '<p>Requests that reach no operation get this problem.</p>'
    : `<ul class="operations">${links.map((link) => `\n          <li>${link}</li>`).join('')}</ul>`;
}

/** Marks text in back-ticks as code, and turns the slug of a problem into a link to its section. */
function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]*)`/g, (_, word: string) => (
    word in problemTypes ? `<a href="#${word}"><code>${word}</code></a>` : `<code>${word}</code>`
  ));
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}
