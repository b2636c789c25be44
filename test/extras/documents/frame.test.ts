import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeHtml, firstSentence, framePage, parseFragment } from '../../../src/extras/documents/frame.ts';

for (const [text, expected] of [
  ['plain', 'plain'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['" onclick="', '&quot; onclick=&quot;'],
  ['&lt;', '&amp;lt;'],
] as const) {
  test(`The text ${text} becomes ${expected}`, () => {
    assert.equal(escapeHtml(text), expected);
  });
}

const FRAGMENT = `<h1>Title</h1>
<p>First <code>a.b</code>
sentence. Second.</p>

  <a href="{root}x">x</a>
`;

test('A page has the title, the first sentence as its description, and links from its root', () => {
  const page = framePage(parseFragment(FRAGMENT), { root: '../' });
  assert.ok(page.startsWith('<!DOCTYPE html>\n'));
  assert.ok(page.includes('<title>Title · Rollcall</title>'));
  assert.ok(page.includes('<meta name="description" content="First a.b sentence.">'));
  assert.ok(page.includes('<a href="../x">x</a>'));
  assert.equal(firstSentence(parseFragment(FRAGMENT).lede), 'First <code>a.b</code> sentence.');
});

test('A fragment without a title or a first paragraph is refused', () => {
  assert.throws(() => parseFragment('<p>No title</p>'), /begins with <h1> and <p>/);
});
