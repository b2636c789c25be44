/** The sections of the page of problems: one for each type, with the type as the anchor. */
import { problemTypes, slugOf, type ProblemName } from '../../api/problems.ts';
import { problemTexts } from './problem-texts.ts';
import { exampleOf, NAMES } from './problems.ts';

export function problemSections(): string {
  return [...Map.groupBy(NAMES, slugOf)].map(([slug, [name = 'internalError']]) => `
  <section class="sheet" id="${slug}">
    <h2><span class="status">${problemTypes[slug].status}</span> ${problemTypes[slug].title}</h2>
    <div>
      <p><code>${slug}</code></p>
      <p>${withCode(problemTexts[slug])}</p>
      <p>Try again? ${withCode(retryOf(name))}</p>
    </div>
  </section>`).join('');
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

/** Marks text in back-ticks as code, and turns the slug of a problem into a link to its section. */
function withCode(text: string): string {
  return text.replaceAll(/`([^`]*)`/g, (_, word: string) => (
    word in problemTypes ? `<a href="#${word}"><code>${word}</code></a>` : `<code>${word}</code>`
  ));
}
