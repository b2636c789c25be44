/** The markup that guides leave out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrapBlocks } from '../../../src/extras/documents/guide-blocks.ts';

const GUIDE = `
<h2 id="a">First</h2>

<h3>Read <code>it</code></h3>
<p>Before.</p>
<pre>curl x</pre>

<p>The response:</p>
<pre>{}</pre>
      <p class="note">A note.</p>
<h2 id="b">Second</h2>

<p>Without a heading.</p>
<pre aria-label="Program: x.py">x</pre>
`;

test('each heading begins a section, and each block of code an entry with its label', () => {
  const page = wrapBlocks(GUIDE);
  const sections = Array.from(page.matchAll(/<section [^>]*aria-labelledby="(\w)">/g), ([, id]) => id);
  assert.deepEqual(sections, ['a', 'b']);
  assert.equal(page.match(/<section/g)?.length, page.match(/<\/section>/g)?.length);
  assert.equal(page.match(/<div/g)?.length, page.match(/<\/div>/g)?.length);
  const blocks = page.matchAll(/aria-label="([^"]*)"><code>([^<]*)/g);
  assert.deepEqual(Array.from(blocks, ([, ...found]) => found), [
    ['Command: read it', 'curl x'], ['Response: read it', '{}'], ['Program: x.py', 'x'],
  ]);
  assert.match(page, /<\/pre><\/div>\n {6}<p class="note">/);
});

test('a section that has its markup stays as it is', () => {
  const section = '\n  <section>\n    <h2 id="a">A</h2>\n    <pre role="group">x</pre>\n  </section>';
  assert.equal(wrapBlocks(section), section);
});
