/** The pages for browsers. Each page consists of a shared layout and a fragment from the static folder. */
import { NOT_FOUND_PAGE_KEY } from '../../resources/static.ts';
import { problemTexts, problemTypes } from './problems.ts';

type Fragment = ReturnType<typeof parseFragment>;

/** @param key - The path of the page, relative to `/static/`. */
export function createPage(key: string, { basePath, guides, read }: {
  readonly basePath: string; readonly guides: readonly string[]; readonly read: (key: string) => string;
}): string {
  const { title, lede, content } = parseFragment(read(key));
  const isGuide = guides.includes(key);
  const sections = isGuide ? toGuideSections(content)
    : key === 'problems.html' ? content + listProblems()
    : key === 'guides/index.html' ? content + guides.map((guide) => listGuide(guide, read(guide))).join('')
    : content;
  // The page for missing files can appear at a path of any depth, so its own links cannot be relative.
  const root = key === NOT_FOUND_PAGE_KEY ? `${basePath}/static/` : key.startsWith('guides/') ? '../' : '';
  return fillLayout(key, isGuide, { title, lede, content: sections.trimEnd() }).replaceAll('{root}', root);
}

function parseFragment(text: string) {
  const [, title = '', lede = '', content] = /^<h1>(.+)<\/h1>\n<p>([^]+?)<\/p>\n([^]*)$/.exec(text) ?? [];
  if (content === undefined) {
    throw new Error(`Expected a fragment that begins with <h1> and <p>, but found ${text.slice(0, 40)}`);
  }
  return { title, lede, content };
}

function firstSentence(text: string): string {
  return (/^[^]*?[.?](?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ');
}

const section = (attribute: string, heading: string, content: string) => `
  <section class="sheet"${attribute}>
    ${heading}
    <div>${content}
    </div>
  </section>`;

const listProblems = () => Array.from(problemTypes, ([slug, { status, title }]) => (
  section(` id="${slug}"`, `<h2><span class="status">${status}</span> ${title}</h2>`, `
      <p><code>${slug}</code></p>
      <p>${withCode(problemTexts[slug])}</p>`)
)).join('');

/** Text in back-ticks becomes code. The name of a problem also becomes a link to its description. */
function withCode(text: string): string {
  return text.replaceAll(/`([^`]*)`/g, (_, word: string) => (
    word in problemTexts ? `<a href="#${word}"><code>${word}</code></a>` : `<code>${word}</code>`
  ));
}

function listGuide(key: string, text: string): string {
  const { title, lede } = parseFragment(text);
  return section('', `<h2><a href="${key.replace('guides/', '')}">${title}</a></h2>`, `
      <p>${firstSentence(lede)}</p>`);
}

/** Begins a section at each `<h2>` of a guide. Headings, paragraphs and `<pre>` must not be indented. */
function toGuideSections(text: string): string {
  return text.split(/^(?=<h2 )/m).map((part) => (
    part.replace(/^(<h2 id="([\w-]+)">.*<\/h2>)$([^]*)/m, (_, heading: string, id: string, content: string) =>
      `${section(` aria-labelledby="${id}"`, heading, toEntries(content))}\n`)
  )).join('');
}

/** Matches an optional heading, any number of paragraphs, and a block of code with an optional label. */
const ENTRY = /((?:^<h3>.*<\/h3>\n)?(?:^<p>[^]*?<\/p>\n)*)^<pre(?: aria-label="([^"]*)")?>([^]*?)<\/pre>/gm;

/** A block that begins like an HTTP response is the response to the command in the previous block. */
function toEntries(content: string): string {
  let command = '';
  return content.replace(ENTRY, (_, words: string, label: string | undefined, code: string) => {
    const isResponse = code.startsWith('HTTP/');
    const title = /<h3>(.*)<\/h3>/.exec(words)?.[1]?.replace(/<[^>]*>/g, '') ?? '';
    command = isResponse ? command : label ?? `Command: ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
    const shown = isResponse ? command.replace('Command', 'Response') : command;
    return `<div class="entry"><div>\n${isResponse ? '<p>The response:</p>\n' : words}</div>
<pre role="group" tabindex="0" aria-label="${shown}"><code>${code}</code></pre></div>`;
  });
}

const LINKS = [
  ['console/', 'Console'], ['reference/', 'Reference'], ['guides/', 'Guides'], ['problems.html', 'Problems'],
] as const;

/** Nothing is escaped, because the authors of Rollcall wrote the fragment. */
function fillLayout(key: string, isGuide: boolean, { title, lede, content }: Fragment): string {
  const mark = ` aria-current="${isGuide ? 'true' : 'page'}"`;
  const links = LINKS.map(([path, name]) => `
      <li><a href="{root}${path}"${key.startsWith(path) ? mark : ''}>${name}</a></li>`);
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}${isGuide ? ' · Guides' : ''} · Rollcall</title>
  <meta name="description" content="${firstSentence(lede).replaceAll(/<[^>]*>/g, '')}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="{root}icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="{root}shared/base.css">
  <link rel="stylesheet" href="{root}css/site.css">
  <script type="module" src="{root}commands.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>

<header class="top">
  <a class="brand" href="{root}index.html">
    <img src="{root}icon.svg" alt="" width="26" height="26"> <span>Rollcall</span>
  </a>
  <nav aria-label="Pages of Rollcall">
    <ul>${links.join('')}
    </ul>
  </nav>
</header>

<div class="sheet masthead page">
  <img src="{root}icon.svg" alt="" width="72" height="72">
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
