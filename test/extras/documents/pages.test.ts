import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPage } from '../../../src/extras/documents/pages.ts';
import { each } from '../../support/each.ts';

const HEAD = '<h1>Title</h1>\n<p>First <code>a.b</code>\nsentence. Second.</p>\n';

function create(key: string, text: string): string {
  const parts = { basePath: '/rollcall', guides: ['guides/a.html'] };
  return createPage(key, { ...parts, read: () => text });
}

each('{0} has its title, the first sentence as its description, and links from its root', [
  ['problems.html', '', 'Title'], ['guides/index.html', '../', 'Title'],
  ['guides/a.html', '../', 'Title · Guides'], ['not-found.html', '/rollcall/static/', 'Title'],
], ([key, root, title]) => {
  const page = create(key, `${HEAD}\n  <a href="{root}x">x</a>\n`);
  assert.ok(page.startsWith('<!DOCTYPE html>\n'));
  assert.ok(page.includes(`<title>${title} · Rollcall</title>`));
  assert.ok(page.includes('<meta name="description" content="First a.b sentence.">'));
  assert.ok(page.includes(`<a href="${root}x">x</a>`) && page.includes(`<a href="${root}problems.html"`));
  assert.equal(page.includes('<p>First <code>a.b</code> sentence.</p>'), key === 'guides/index.html');
});

test('a fragment without a title or a first paragraph is refused', () => {
  assert.throws(() => create('problems.html', '<p>No title</p>'), /begins with <h1> and <p>/);
});

test('in a guide, each heading begins a section, and each block of code an entry with its label', () => {
  const page = create('guides/a.html', `${HEAD}
<h2 id="a">First</h2>

<h3>Read <code>it</code></h3>
<p>Before.</p>
<pre>curl x</pre>

<pre>HTTP/1.1 200 OK</pre>
<table>
</table>
      <p class="note">A note.</p>
<h2 id="b">Second</h2>

<p>Without a heading.</p>
<pre aria-label="Program: x.py">x</pre>
`);
  const sections = Array.from(page.matchAll(/<section [^>]*aria-labelledby="(\w)">/g), ([, id]) => id);
  assert.deepEqual(sections, ['a', 'b']);
  const blocks = page.matchAll(/aria-label="([^"]*)"><code>([^<]*)/g);
  assert.deepEqual(Array.from(blocks, ([, ...found]) => found), [
    ['Command: read it', 'curl x'], ['Response: read it', 'HTTP/1.1 200 OK'], ['Program: x.py', 'x'],
  ]);
  assert.match(page, /<p>The response:<\/p>/);
  assert.match(page, /<\/div>\n<table>\n<\/table>\n {6}<p class="note">/);
});

test('a section of a guide that has its markup stays as it is', () => {
  const section = '\n  <section>\n    <h2 id="a">A</h2>\n    <pre role="group">x</pre>\n  </section>';
  assert.ok(create('guides/a.html', `${HEAD}${section}`).includes(section));
});
