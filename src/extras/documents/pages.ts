/**
 * The generated pages for browsers: the problems, the list of guides, each guide, and the page at wrong
 * addresses. Each is a fragment of the static folder in the same frame.
 */
import type { Operations } from '../../api/operation.ts';
import { NOT_FOUND_PAGE_KEY } from '../../resources/static.ts';
import { wrapBlocks } from './guide-blocks.ts';
import { problemSections } from './problem-sections.ts';

interface PageParts {
  readonly operations: Operations;
  /** A prefix such as `/rollcall`, or empty. */
  readonly basePath: string;
  /** The keys of the guides in the order of reading. */
  readonly guides: readonly string[];
  /** Reads a fragment. */
  readonly read: (key: string) => string;
}

/** The title, the first paragraph, and the rest. Their markup comes from the authors of this program. */
interface Fragment {
  readonly title: string;
  readonly lede: string;
  readonly sections: string;
}

/** The parts of a page around its fragment. */
interface Frame {
  /** The prefix of every link: empty for a page in the static folder itself. */
  readonly root?: string;
  /** The link at the top to this page, or to the list that contains this page. */
  readonly link?: string;
  /** The content to the left of the title. */
  readonly margin?: string;
  /** The links to all guides, below a guide. */
  readonly guideLinks?: string;
}

const LINKS = [
  ['console/', 'Console'], ['reference/', 'Reference'], ['guides/', 'Guides'], ['problems.html', 'Problems'],
] as const;

/** @param key - The path of the page below `/static/`. */
export function createPage(key: string, { operations, basePath, guides, read }: PageParts): string {
  const { sections, ...head } = parseFragment(read(key));
  const page = (more: string, around: Frame) => frame({ ...head, sections: sections + more }, around);
  const list = guides.map((guide) => (
    { ...parseFragment(read(guide)), guide, file: guide.replace('guides/', '') }
  ));
  switch (key) {
    case 'problems.html':
      return page(problemSections(operations, basePath), { link: key });
    case 'guides/index.html':
      return page(list.map(({ file, title, lede }) => `
  <section class="sheet">
    <h2><a href="${file}">${title}</a></h2>
    <div>
      <p>${firstSentence(lede)}</p>
    </div>
  </section>`).join(''), { root: '../', link: 'guides/' });
    case NOT_FOUND_PAGE_KEY: // appears at any depth, so its links cannot be relative
      return page('', { root: `${basePath}/static/`, margin: '<p class="status">404</p>' });
    default:
      return frame({ ...head, sections: wrapBlocks(sections) }, {
        root: '../', link: 'guides/',
        guideLinks: list.map(({ file, title, guide }) => `
    <li><a href="${file}"${guide === key ? ' aria-current="page"' : ''}>${title}</a></li>`).join(''),
      });
  }
}

/** @throws Error for a text that does not begin with a title and a first paragraph. */
function parseFragment(text: string): Fragment {
  const [, title, lede, sections] = /^<h1>(.+)<\/h1>\n<p>([^]+?)<\/p>\n([^]*)$/.exec(text) ?? [];
  if (title === undefined || lede === undefined || sections === undefined) {
    throw new Error(`A fragment begins with <h1> and <p>, but this one with ${text.slice(0, 40)}`);
  }
  return { title, lede, sections };
}

function firstSentence(text: string): string {
  return (/^[^]*?[.?](?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ');
}

function frame({ title, lede, sections }: Fragment, { root = '', link, margin, guideLinks }: Frame): string {
  const isGuide = guideLinks !== undefined;
  const links = LINKS.map(([path, name]) => {
    const mark = path === link ? ` aria-current="${isGuide ? 'true' : 'page'}"` : '';
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
  ${margin ?? `<img src="${root}icon.svg" alt="" width="72" height="72">`}
  <div>${isGuide ? '\n    <p class="trail"><a href="./">Guides</a></p>' : ''}
    <h1>${title}</h1>
    <p class="lede">${lede}</p>
  </div>
</div>

<main id="content" tabindex="-1">
${sections.replaceAll('{root}', root).trimEnd()}
</main>${isGuide ? toFooter(guideLinks) : ''}
</body>
</html>
`;
}

const toFooter = (guideLinks: string) => `

<footer class="sheet">
  <nav class="others" aria-label="Guides">
  <ul class="doors">${guideLinks}
  </ul>
  </nav>
</footer>`;
