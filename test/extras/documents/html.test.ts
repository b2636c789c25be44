import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html, toPage, type Markup } from '../../../src/extras/documents/html.ts';

function bodyOf(markup: Markup): string {
  return toPage(markup).replace('<!DOCTYPE html>\n', '');
}

for (const [text, expected] of [
  ['plain', 'plain'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['" onclick="', '&quot; onclick=&quot;'],
  ["it's", 'it&#39;s'],
  ['&lt;', '&amp;lt;'],
  ['a\\nb', 'a\\nb'],
] as const) {
  test(`The text ${text} becomes ${expected}, in elements and in attributes`, () => {
    assert.equal(bodyOf(html`<p title="${text}">${text}</p>`), `<p title="${expected}">${expected}</p>`);
  });
}

test('Numbers become text, and nested markup is not escaped again', () => {
  const items = ['a&b', 'c'].map((text) => html`<li>${text}</li>`);
  assert.equal(
    bodyOf(html`<ol start="${3}">${items}${html`<li>${4}</li>`}</ol>`),
    '<ol start="3"><li>a&amp;b</li><li>c</li><li>4</li></ol>',
  );
});

test('An object that imitates markup is refused', () => {
  const forged = JSON.parse('{"markup": "<b>", "Symbol(markup)": "<b>"}') as Markup;
  assert.throws(() => bodyOf(html`${forged}`), TypeError);
});

test('A page begins with <!doctype html>', () => {
  assert.equal(toPage(html`<p></p>`), '<!DOCTYPE html>\n<p></p>');
});
