/**
 * Adds the markup that the source file of a guide leaves out: a section that begins with each `<h2>`, and an
 * entry for each `<pre>` with the heading and the paragraphs before the `<pre>`. In a source file, headings,
 * paragraphs and `<pre>` must not be indented.
 */

/** Matches a heading, paragraphs, and a block of code with its own label unless the heading is the label. */
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

/** A block that begins like an HTTP response is the response to the command before the block. */
function wrapEntries(section: string): string {
  let command = '';
  return section.replace(ENTRY, (_, words: string, label: string | undefined, code: string) => {
    const isResponse = code.startsWith('HTTP/');
    const title = /<h3>(.*)<\/h3>/.exec(words)?.[1]?.replace(/<[^>]*>/g, '') ?? '';
    command = isResponse ? command : label ?? `Command: ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
    const shown = isResponse ? command.replace('Command', 'Response') : command;
    return `<div class="entry"><div>\n${isResponse ? '<p>The response:</p>\n' : words}</div>
<pre role="group" tabindex="0" aria-label="${shown}"><code>${code}</code></pre></div>`;
  });
}
