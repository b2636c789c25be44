/** The frame of every generated page: the head, the links to the other pages, and the title. */
import { html, toPage, type Markup } from './html.ts';

interface Frame {
  readonly title: string;
  readonly description: string;
  /** The prefix of every link: empty for a page in the static folder itself. */
  readonly root: string;
  /** The link that leads to this page, which is marked as current. */
  readonly current?: 'problems.html';
  /** The content to the left of the title. */
  readonly margin: Markup;
  readonly lede: Markup;
}

const LINKS = [
  ['console/', 'Console'], ['reference/', 'Reference'], ['guides/', 'Guides'], ['problems.html', 'Problems'],
] as const;

export function framePage({ title, description, root, current, margin, lede }: Frame, main: Markup): string {
  const links = LINKS.map(([path, name]) => html`
      <li><a href="${root}${path}"${path === current ? html` aria-current="page"` : ''}>${name}</a></li>`);
  return toPage(html`<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title} · Rollcall</title>
  <meta name="description"
    content="${description}">
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
    <ul>${links}
    </ul>
  </nav>
</header>

<div class="sheet masthead page">
  ${margin}
  <div>
    <h1>${title}</h1>
    <p class="lede">${lede}</p>
  </div>
</div>

<main id="content" tabindex="-1">${main}
</main>
</body>
</html>
`);
}
