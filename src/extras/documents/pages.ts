/** The generated pages for browsers. Each begins with a fragment of the static folder. */
import type { Operations } from '../../api/operation.ts';
import { problemTypes } from '../../api/problem-types.ts';
import { problemPath, problems, slugOf, type ProblemName } from '../../api/problems.ts';
import { STATUS_CODES } from '../../http/node-http.ts';
import { escapeHtml, firstSentence, framePage, parseFragment } from './frame.ts';
import { wrapBlocks } from './guide-blocks.ts';
import { problemTexts } from './problem-texts.ts';
import { exampleOf, problemExample, problemsOf } from './problems.ts';

interface PageParts {
  readonly operations: Operations;
  /** A prefix such as `/rollcall`, or empty. */
  readonly basePath: string;
  /** The keys of the guides in the order of reading. */
  readonly guides: readonly string[];
  /** Reads a fragment. */
  readonly read: (key: string) => string;
}

/** @param key - The path of the page below `/static/`. */
export function createPage(key: string, parts: PageParts): string {
  const fragment = parseFragment(parts.read(key));
  switch (key) {
    case 'problems.html': {
      const sections = fragment.sections + problemSections(parts);
      return framePage({ ...fragment, sections }, { root: '', current: key });
    }
    case 'guides/index.html': {
      const sections = fragment.sections + guideSections(parts);
      return framePage({ ...fragment, sections }, { root: '../', current: 'guides/' });
    }
    case 'not-found.html': // appears at any depth, so its links cannot be relative
      return framePage(fragment, {
        root: `${parts.basePath}/static/`, margin: '<p class="status">404</p>',
      });
    default:
      return framePage({ ...fragment, sections: wrapBlocks(fragment.sections) }, {
        root: '../', current: 'guides/', partOf: 'Guides', footer: guideLinks(key, parts),
      });
  }
}

const listGuides = ({ guides, read }: PageParts) =>
  guides.map((key) => ({ key, file: key.replace('guides/', ''), ...parseFragment(read(key)) }));

function guideSections(parts: PageParts): string {
  return listGuides(parts).map(({ file, title, lede }) => `
  <section class="sheet">
    <h2><a href="${file}">${title}</a></h2>
    <div>
      <p>${firstSentence(lede)}</p>
    </div>
  </section>`).join('');
}

function guideLinks(current: string, parts: PageParts): string {
  const links = listGuides(parts).map(({ key, file, title }) => `
    <li><a href="${file}"${key === current ? ' aria-current="page"' : ''}>${title}</a></li>`);
  return `

<footer class="sheet">
  <nav class="others" aria-label="Guides">
  <ul class="doors">${links.join('')}
  </ul>
  </nav>
</footer>`;
}

/** Explains every type of problem, with the type as the anchor. */
function problemSections({ operations, basePath }: PageParts): string {
  const names = Object.keys(problems) as ProblemName[]; // `problems` has no other keys
  const answered = Object.entries(operations).map(([id, operation]) => ({
    link: `<a href="reference/#${id}">${operation.method} ${operation.path}</a>`,
    slugs: new Set([...problemsOf(operation)].map((name) => slugOf(name))),
  }));
  return [...Map.groupBy(names, (name) => slugOf(name))].map(([slug, [name = 'internalError']]) => {
    const links = answered.filter(({ slugs }) => slugs.has(slug)).map(({ link }) => link);
    const { status, title } = problemTypes[slug];
    const example = problemExample(name, (other) => basePath + problemPath(other));
    const json = escapeHtml(JSON.stringify(example, undefined, 2));
    const answer = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\n\n${json}`;
    return `
  <section class="sheet" id="${slug}">
    <h2><span class="status">${status}</span> ${title}</h2>
    <div>
      <p><code>${slug}</code></p>
      <p>${withCode(problemTexts[slug])}</p>
      <p>Try again? ${withCode(retryOf(name))}</p>
      <details>
        <summary>Example, and the operations that answer it</summary>
        <pre role="group" aria-label="Example of ${slug}" tabindex="0"><code>${answer}</code></pre>
        ${operationList(links, answered.length)}
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
    ? 'Yes: nothing is wrong with the request.'
    : 'Not unchanged: the same request gets the same response.';
}

function operationList(links: readonly string[], total: number): string {
  if (links.length === total) {
    return '<p>Any operation.</p>';
  }
  return links.length === 0
    ? '<p>Requests that reach no operation.</p>'
    : `<ul class="operations">${links.map((link) => `\n          <li>${link}</li>`).join('')}</ul>`;
}

/** Marks text in back-ticks as code, and turns the slug of a problem into a link to its section. */
function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]*)`/g, (_, word: string) => (
    word in problemTypes ? `<a href="#${word}"><code>${word}</code></a>` : `<code>${word}</code>`
  ));
}
