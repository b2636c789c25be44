/** Colours code. One pattern is enough for shell, JavaScript, Python, HTTP and JSON. */
import { element } from '../shared/elements.js';

const TOKENS = new RegExp([
  /(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))/, /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)/,
  /(?<word>(?<![\w-])(?:curl|await|const|import|print|true|false|null|None|True|False)(?![\w-]))/,
  /(?<option>(?<=\s)--?[a-zA-Z][\w-]*)/, /(?<number>(?<![\w./:-])\d+(?:\.\d+)?(?![\w./:-]))/,
].map(({ source }) => source).join('|'), 'g');

/** @param {string} text */
export function highlight(text) {
  const nodes = [];
  let end = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(TOKENS)) {
    const [kind] = Object.entries(groups).find(([, found]) => found !== undefined) ?? [];
    nodes.push(text.slice(end, index), element('span', { class: `is-${kind}` }, whole));
    end = index + whole.length;
  }
  return [...nodes, text.slice(end)];
}
