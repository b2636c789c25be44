/** The guides: their order, titles and first paragraphs. `static/guides/` holds the sections of each. */
import { framePage, html, trusted, type Markup } from './html.ts';

/** The path of the list of guides below `/static/`. */
export const GUIDES_PAGE_KEY = 'guides/index.html';

interface Guide {
  /** The name of its page, without `.html`. */
  readonly name: string;
  readonly title: string;
  /** The sentence in the list of guides. */
  readonly summary: Markup;
  /** The first sentence of the page. Search engines show it. */
  readonly description: string;
  /** The other sentences of the first paragraph. */
  readonly more?: Markup;
}

const NEEDS_TOKEN = html`You need a token in <code>$token</code>:
    see <a href="signing-in.html#tokens">Signing in</a>.`;

/** In the order of reading. */
const guides: readonly Guide[] = [
  {
    name: 'programs',
    title: 'Use these accounts in your program',
    summary: html`Let nginx, Caddy, Traefik or the program itself check who is calling.`,
    description: 'A reverse proxy asks Rollcall before each request, and tells your program who is calling.',
    more: html`Or your program asks by itself. Revoked tokens and disabled users are refused from the
    next request on.`,
  },
  {
    name: 'signing-in',
    title: 'Signing in',
    summary: html`Get tokens for yourself and for programs, and revoke them.`,
    description: 'Register, exchange your password for tokens, use them in programs, and revoke them.',
  },
  {
    name: 'lists',
    title: 'Lists and paging',
    summary: html`Search, filter, sort, and follow the pages.`,
    description: 'Find what you look for, and read long lists page by page.',
    more: NEEDS_TOKEN,
  },
  {
    name: 'changes',
    title: 'Changes without lost updates',
    summary: html`Use <code>ETag</code> and <code>If-Match</code> when others edit the same project.`,
    description: 'Two people edit the same project.',
    more: html`The second one must not silently undo the work of the first. ${NEEDS_TOKEN}`,
  },
  {
    name: 'errors',
    title: 'Errors and retries',
    summary: html`The form of errors, and what to do after each status.`,
    description: 'Read an error, and know which requests you may safely repeat.',
    more: NEEDS_TOKEN,
  },
  {
    name: 'cluster',
    title: 'Moving to a cluster',
    summary: html`Changes that your programs may notice when the service gets several machines.`,
    description: 'The operator moves the service from one file to a cluster of several machines.',
    more: html`Your programs keep working; this page says what you may notice. ${NEEDS_TOKEN}`,
  },
  {
    name: 'console',
    title: 'Using the console',
    summary: html`Keys, addresses, and what the console keeps in the browser.`,
    description: 'The console shows the service in a browser.',
    more: html`Open <a href="../console/">the console</a> and sign in with your username and password.`,
  },
];

const ICON = html`<img src="../icon.svg" alt="" width="72" height="72">`;

/** The page that lists the guides. */
export function createGuidesPage(): string {
  const sections = guides.map(({ name, title, summary }) => html`
  <section class="sheet" aria-labelledby="${name}">
    <h2 id="${name}"><a href="${name}.html">${title}</a></h2>
    <div>
      <p>${summary}</p>
    </div>
  </section>`);
  return framePage({
    title: 'Guides',
    description: 'Guides to the API of Rollcall, with commands to copy.',
    root: '../',
    current: 'guides/',
    margin: ICON,
    lede: html`Each guide is one task from beginning to end, with commands to copy. The guides after
    signing in need the token from there, and nothing else. For every parameter and response, see
    <a href="../reference/">the reference</a>.`,
  }, html`${sections}`);
}

/** Makes the page of each guide from its sections. The keys are paths below `/static/`. */
export const guideFrames: ReadonlyMap<string, (sections: string) => string> = new Map(
  guides.map((guide) => [`guides/${guide.name}.html`, (sections) => frameGuide(guide, sections)]),
);

function frameGuide({ name, title, description, more }: Guide, sections: string): string {
  const links = guides.map((guide) => {
    const mark = guide.name === name ? html` aria-current="page"` : '';
    return html`
    <li><a href="${guide.name}.html"${mark}>${guide.title}</a></li>`;
  });
  return framePage({
    title,
    partOf: 'Guides',
    description,
    root: '../',
    current: 'guides/',
    script: 'landing.js',
    margin: ICON,
    lede: more === undefined ? html`${description}` : html`${description} ${more}`,
    footer: html`

<footer class="sheet">
  <nav class="others" aria-label="Guides">
  <ul class="doors">${links}
  </ul>
  </nav>
</footer>`,
  }, trusted(`\n${sections.trimEnd()}`));
}
