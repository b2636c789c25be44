/** What browsers get: pages, styles and scripts that load nothing from elsewhere and run nothing that stands in a page. */

/** @typedef {import('./files.js').File} File */

/** Names, not places: nothing is loaded from them. */
const NAMESPACES = /\bhttps?:\/\/www\.w3\.org\/(?:2000\/svg|1999\/xlink|1999\/xhtml|1998\/Math\/MathML)\b/g;

/** A link that a reader follows or does not; the page itself asks for nothing there. */
const LINKS = /<a\s[^>]*?\bhref="https?:\/\/[^"]*"/g;

const MARKUP_FROM_TEXT = /\b(?:inner|outer)HTML\b|\binsertAdjacentHTML\b|\bsetHTML|\bdocument\s*\.\s*write|\bcreateContextualFragment\b|\bDOMParser\b|\bsrcdoc\b/;
const CODE_FROM_TEXT = /\beval\b|\bFunction\s*\(|\.constructor\b|\bimportScripts\b|\bjavascript:|\bset(?:Timeout|Interval)\s*\(\s*["'`]/;
const REMEMBERED = /\bdocument\s*\.\s*cookie\b|\bindexedDB\b|\bwithCredentials\b|\bcredentials:\s*["'`](?!omit\b)/;

/** @type {readonly (readonly [what: string, files: RegExp, pattern: RegExp])[]} */
const FAULTS = [
  ['has a tag that names another origin', /\.(html|svg)$/, /<[a-z][^>]*\/\//i],
  ['names another origin', /\.js$/, /["'`](?:(?:https?|wss?|ftp):)?\/\/\w/],
  ['loads something from elsewhere', /\.css$/, /@import\b|\burl\(\s*["']?(?!data:image\/)[^)]*\/\//],
  ['has a script that stands in the page', /\.(html|svg)$/, /<script\b(?![^>]*\bsrc=)|<script\b[^>]*>\s*[^<\s]/i],
  ['has an attribute that runs code', /\.(html|svg)$/, /<[^>]+\son[a-z]+\s*=|\bjavascript:/i],
  ['has a style that stands in the page', /\.(html|svg)$/, /<style\b|<[^>]+\sstyle\s*=/i],
  ['frames or embeds something', /\.(html|svg)$/, /<(?:iframe|frame|object|embed|base|foreignObject)\b/i],
  ['makes markup from text', /\.js$/, MARKUP_FROM_TEXT],
  ['makes code from text', /\.js$/, CODE_FROM_TEXT],
  ['uses what the browser sends or keeps by itself', /\.js$/, REMEMBERED],
];

/**
 * @param {readonly File[]} files
 * @returns {string[]} What is wrong.
 */
export function findPageFaults(files) {
  return files.flatMap(({ name, content }) => {
    const text = content.toString('utf8').replace(NAMESPACES, '').replace(LINKS, '<a');
    const found = FAULTS.filter(([, names, pattern]) => names.test(name) && pattern.test(text));
    return found.map(([what, , pattern]) => `${name} ${what}: ${pattern.exec(text)?.[0]}`);
  });
}
