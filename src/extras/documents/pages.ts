/** The pages for browsers. Each page is a fragment of the static folder in a common frame. */
import { problemTypes, type ProblemSlug } from '../../api/problems.ts';
import { NOT_FOUND_PAGE_KEY } from '../../resources/static.ts';
import { wrapBlocks } from './guide-blocks.ts';
import { problemTexts } from './problem-texts.ts';

interface PageParts {
  readonly basePath: string;
  /** The keys of the guides, in the order of reading. */
  readonly guides: readonly string[];
  readonly read: (key: string) => string;
}

/** @param key - The path of the page below `/static/`. */
export function createPage(key: string, { basePath, guides, read }: PageParts): string {
  const { content, ...head } = parseFragment(read(key));
  const isGuide = guides.includes(key);
  const sections = key === 'problems.html' ? content + problemSections()
    : key === 'guides/index.html' ? content + listGuides(guides, read)
    : isGuide ? wrapBlocks(content) : content;
  // The page for missing files is shown for paths of any depth, so its links cannot be relative.
  const root = key === NOT_FOUND_PAGE_KEY ? `${basePath}/static/` : key.startsWith('guides/') ? '../' : '';
  return frame({ ...head, key, root, isGuide, content: sections.replaceAll('{root}', root).trimEnd() });
}

function problemSections(): string {
  const slugs = Object.keys(problemTypes) as ProblemSlug[]; // `Object.keys` has the type `string[]`
  return slugs.map((slug) => `
  <section class="sheet" id="${slug}">
    <h2><span class="status">${problemTypes[slug].status}</span> ${problemTypes[slug].title}</h2>
    <div>
      <p><code>${slug}</code></p>
      <p>${withCode(problemTexts[slug])}</p>
    </div>
  </section>`).join('');
}

/** Text in back-ticks is code, and a link if it is the slug of a problem. */
function withCode(text: string): string {
  return text.replaceAll(/`([^`]*)`/g, (_, word: string) => (
    word in problemTypes ? `<a href="#${word}"><code>${word}</code></a>` : `<code>${word}</code>`
  ));
}

function listGuides(guides: readonly string[], read: PageParts['read']): string {
  return guides.map((guide) => ({ guide, ...parseFragment(read(guide)) })).map(({ guide, title, lede }) => `
  <section class="sheet">
    <h2><a href="${guide.replace('guides/', '')}">${title}</a></h2>
    <div>
      <p>${firstSentence(lede)}</p>
    </div>
  </section>`).join('');
}

function parseFragment(text: string) {
  const [, title, lede, content] = /^<h1>(.+)<\/h1>\n<p>([^]+?)<\/p>\n([^]*)$/.exec(text) ?? [];
  if (title === undefined || lede === undefined || content === undefined) {
    throw new Error(`Expected a fragment that begins with <h1> and <p>, but found ${text.slice(0, 40)}`);
  }
  return { title, lede, content };
}

function firstSentence(text: string): string {
  return (/^[^]*?[.?](?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ');
}

const LINKS = [
  ['console/', 'Console'], ['reference/', 'Reference'], ['guides/', 'Guides'], ['problems.html', 'Problems'],
] as const;

/** Puts a page into the common frame, without escaping: the authors of the program wrote all markup. */
function frame({ title, lede, content, key, root, isGuide }: {
  readonly title: string; readonly lede: string; readonly content: string;
  readonly key: string; readonly root: string; readonly isGuide: boolean;
}): string {
  const links = LINKS.map(([path, name]) => {
    const mark = key.startsWith(path) ? ` aria-current="${isGuide ? 'true' : 'page'}"` : '';
    return `
      <li><a href="${root}${path}"${mark}>${name}</a></li>`;
  });
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}${isGuide ? ' · Guides' : ''} · Rollcall</title>
  <meta name="description" content="${firstSentence(lede).replaceAll(/<[^>]*>/g, '')}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="${root}icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="${root}shared/base.css">
  <link rel="stylesheet" href="${root}css/site.css">
  <script type="module" src="${root}commands.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>

<header class="top">
  <a class="brand" href="${root}index.html">
    <img src="${root}icon.svg" alt="" width="26" height="26"> <span>Rollcall</span>
  </a>
  <nav aria-label="Pages of Rollcall">
    <ul>${links.join('')}
    </ul>
  </nav>
</header>

<div class="sheet masthead page">
  <img src="${root}icon.svg" alt="" width="72" height="72">
  <div>${isGuide ? '\n    <p class="trail"><a href="./">Guides</a></p>' : ''}
    <h1>${title}</h1>
    <p class="lede">${lede}</p>
  </div>
</div>

<main id="content" tabindex="-1">
${content}
</main>
</body>
</html>
`;
}
