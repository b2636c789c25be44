/**
 * HTML from templates that escape. A value may stand where text stands, or in an attribute in double quotes.
 * No value may stand in the name of an element or an attribute, in an unquoted attribute, in a script or in a
 * style, which all have other rules.
 */

/** The key of markup. It is not exported, so only `html` makes markup, and parsed JSON never counts as it. */
const MARKUP = Symbol('markup');

/** HTML that needs no further escaping. */
export interface Markup {
  readonly [MARKUP]: string;
}

type Value = string | number | Markup | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;',
};

/**
 * The tag of a template literal. The text of the literal and values made by `html` are markup; all other
 * values are text.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { [MARKUP]: String.raw({ raw: literals }, ...values.map(toHtml)) };
}

/** @returns A whole page. */
export function toPage(markup: Markup): string {
  return `<!DOCTYPE html>\n${markup[MARKUP]}`;
}

function toHtml(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') {
    return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  }
  // A value of any other kind has no `map`, and throws.
  return MARKUP in value ? value[MARKUP] : value.map(toHtml).join('');
}

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

/** The frame of every generated page: the head, the links to the other pages, and the title. */
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
