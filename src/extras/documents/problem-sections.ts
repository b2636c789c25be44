/** The sections of the page of problems: one for each type, with the type as the anchor. */
import { problemTypes, type ProblemSlug } from '../../api/problems.ts';
import { problemTexts } from './problem-texts.ts';

export function problemSections(): string {
  const slugs = Object.keys(problemTypes) as ProblemSlug[]; // there are no other keys
  return slugs.map((slug) => `
  <section class="sheet" id="${slug}">
    <h2><span class="status">${problemTypes[slug].status}</span> ${problemTypes[slug].title}</h2>
    <div>
      <p><code>${slug}</code></p>
      <p>${withCode(problemTexts[slug])}</p>
    </div>
  </section>`).join('');
}

/** Marks text in back-ticks as code, and turns the slug of a problem into a link to its section. */
function withCode(text: string): string {
  return text.replaceAll(/`([^`]*)`/g, (_, word: string) => (
    word in problemTypes ? `<a href="#${word}"><code>${word}</code></a>` : `<code>${word}</code>`
  ));
}
