/** The frame of every generated page: the head, the links to the other pages, and the title. */

/** A fragment of a page, as the static folder has it: a title, a first paragraph, and sections. */
interface Fragment {
  readonly title: string;
  readonly lede: string;
  readonly sections: string;
}

interface Frame {
  /** The prefix of every link: empty for a page in the static folder itself. */
  readonly root: string;
  /** The link that leads to this page, or to the page that it is part of. It is marked as current. */
  readonly current?: 'guides/' | 'problems.html';
  /** The title of the page that leads to this one and to others of its kind. */
  readonly partOf?: string;
  /** The content to the left of the title. */
  readonly margin?: string;
  readonly footer?: string;
}

const LINKS = [
  ['console/', 'Console'], ['reference/', 'Reference'], ['guides/', 'Guides'], ['problems.html', 'Problems'],
] as const;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for an element, or for an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}

/** @throws Error for a text that does not begin with a title and a first paragraph. */
export function parseFragment(text: string): Fragment {
  const [, title, lede, sections] = /^<h1>(.+)<\/h1>\n<p>([^]+?)<\/p>\n([^]*)$/.exec(text) ?? [];
  if (title === undefined || lede === undefined || sections === undefined) {
    throw new Error(`A fragment begins with <h1> and <p>, but this one with ${text.slice(0, 40)}`);
  }
  return { title, lede, sections };
}

export function firstSentence(text: string): string {
  return (/^[^]*?[.?](?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ');
}

/** @param fragment - Its markup comes from the authors of this program. `{root}` in it becomes the root. */
export function framePage(fragment: Fragment, frame: Frame): string {
  const { root, current, partOf, footer = '' } = frame;
  const { margin = `<img src="${root}icon.svg" alt="" width="72" height="72">` } = frame;
  const { title, lede, sections } = fragment;
  const mark = ` aria-current="${partOf === undefined ? 'page' : 'true'}"`;
  const links = LINKS.map(([path, name]) => `
      <li><a href="${root}${path}"${path === current ? mark : ''}>${name}</a></li>`);
  const description = escapeHtml(firstSentence(lede).replaceAll(/<[^>]*>/g, ''));
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}${partOf === undefined ? '' : ` · ${partOf}`} · Rollcall</title>
  <meta name="description" content="${description}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="${root}icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="${root}shared/base.css">
  <link rel="stylesheet" href="${root}css/site.css">
  <script type="module" src="${root}landing.js"></script>
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
  ${margin}
  <div>${partOf === undefined ? '' : `
    <p class="trail"><a href="./">${partOf}</a></p>`}
    <h1>${title}</h1>
    <p class="lede">${lede}</p>
  </div>
</div>

<main id="content" tabindex="-1">
${sections.replaceAll('{root}', root).trimEnd()}
</main>${footer}
</body>
</html>
`;
}
