/**
 * HTML from templates that escape. A value may stand where text stands, or in an attribute in double quotes.
 * No value may stand in the name of an element or an attribute, in an unquoted attribute, in a script or in a
 * style, which all have other rules.
 */

/** The key of markup. Only this file has it, so parsed JSON never counts as markup. */
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

/** @param markup - Written by the authors of this program: it is not escaped. */
export function trusted(markup: string): Markup {
  return { [MARKUP]: markup };
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
  /** The title of the page that leads to this one and to others of its kind. */
  readonly partOf?: string;
  readonly description: string;
  /** The prefix of every link: empty for a page in the static folder itself. */
  readonly root: string;
  /** The link that leads to this page, or to the page that it is part of. It is marked as current. */
  readonly current?: 'guides/' | 'problems.html';
  /** The path of a script below the static folder. */
  readonly script?: string;
  /** The content to the left of the title. */
  readonly margin: Markup;
  readonly lede: Markup;
  readonly footer?: Markup;
}

const LINKS = [
  ['console/', 'Console'], ['reference/', 'Reference'], ['guides/', 'Guides'], ['problems.html', 'Problems'],
] as const;

/** The frame of every generated page: the head, the links to the other pages, and the title. */
export function framePage(frame: Frame, main: Markup): string {
  const { title, partOf, description, root, current, script, margin, lede, footer = html`` } = frame;
  const mark = html` aria-current="${partOf === undefined ? 'page' : 'true'}"`;
  const links = LINKS.map(([path, name]) => html`
      <li><a href="${root}${path}"${path === current ? mark : ''}>${name}</a></li>`);
  const trail = partOf === undefined ? '' : html`
    <p class="trail"><a href="./">${partOf}</a></p>`;
  return toPage(html`<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}${partOf === undefined ? '' : ` · ${partOf}`} · Rollcall</title>
  <meta name="description"
    content="${description}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="${root}icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="${root}shared/base.css">
  <link rel="stylesheet" href="${root}css/site.css">${script === undefined ? '' : html`
  <script type="module" src="${root}${script}"></script>`}
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
  <div>${trail}
    <h1>${title}</h1>
    <p class="lede">${lede}</p>
  </div>
</div>

<main id="content" tabindex="-1">${main}
</main>${footer}
</body>
</html>
`);
}
