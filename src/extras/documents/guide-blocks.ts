/**
 * The markup around the blocks of a guide, which its file leaves out: a section from each `<h2>` on, and an
 * entry for each `<pre>` with the heading and the paragraphs before it. Only lines without indentation count.
 */

/** A heading, paragraphs, and a block of code with its label, if the label is not the heading. */
const ENTRY = /((?:^<h3>.*<\/h3>\n)?(?:^<p>[^]*?<\/p>\n)*)^<pre(?: aria-label="([^"]*)")?>([^]*?)<\/pre>/gm;

export function wrapBlocks(text: string): string {
  const sections = text.split(/^(?=<h2 )/m);
  return sections.map((section) => section.replace(/^(<h2 id="([\w-]+)">.*<\/h2>)$([^]*)/m, (
    _, heading: string, id: string, content: string,
  ) => `
  <section class="sheet" aria-labelledby="${id}">
    ${heading}
    <div>${wrapEntries(content)}
    </div>
  </section>
`)).join('');
}

function wrapEntries(section: string): string {
  let title = '';
  return section.replace(ENTRY, (_, words: string, label: string | undefined, code: string) => {
    title = /<h3>(.*)<\/h3>/.exec(words)?.[1]?.replace(/<[^>]*>/g, '') ?? title;
    const kind = words.includes('<p>The response:</p>') ? 'Response' : 'Command';
    const shown = label ?? `${kind}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
    return `<div class="entry"><div>\n${words}</div>
<pre role="group" tabindex="0" aria-label="${shown}"><code>${code}</code></pre></div>`;
  });
}
