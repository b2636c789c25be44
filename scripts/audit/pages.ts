/** Checks that the pages of the service load nothing from other origins and contain no inline code. */
import type { File } from './files.ts';

/** Browsers load nothing from the address of an XML namespace. */
const NAMESPACES = /\bhttps?:\/\/www\.w3\.org\/(?:2000\/svg|1999\/xlink|1999\/xhtml|1998\/Math\/MathML)\b/g;

/** Links are allowed, because the page itself loads nothing from their addresses. */
const LINKS = /<a\s[^>]*?\bhref="https?:\/\/[^"]*"/g;

const MARKUP = /\.(html|svg)$/;
const SCRIPT = /\.js$/;

const FAULTS: readonly (readonly [fault: string, files: RegExp, ...patterns: readonly RegExp[]])[] = [
  ['has a tag that names another origin', MARKUP, /<[a-z][^>]*\/\//i],
  ['names another origin', SCRIPT, /["'`](?:(?:https?|wss?|ftp):)?\/\/\w/],
  ['loads something from elsewhere', /\.css$/, /@import\b|\burl\(\s*["']?(?!data:image\/)[^)]*\/\//],
  ['has an inline script', MARKUP, /<script\b(?![^>]*\bsrc=)|<script\b[^>]*>\s*[^<\s]/i],
  ['has an attribute that runs code', MARKUP, /<[^>]+\son[a-z]+\s*=|\bjavascript:/i],
  ['has an inline style', MARKUP, /<style\b|<[^>]+\sstyle\s*=/i],
  ['frames or embeds something', MARKUP, /<(?:iframe|frame|object|embed|base|foreignObject)\b/i],
  [
    'makes markup from text', SCRIPT,
    /\b(?:inner|outer)HTML\b|\binsertAdjacentHTML\b|\bsetHTML|\bdocument\s*\.\s*write/,
    /\bcreateContextualFragment\b|\bDOMParser\b|\bsrcdoc\b/,
  ],
  [
    'makes code from text', SCRIPT,
    /\beval\b|\bFunction\s*\(|\.constructor\b|\bimportScripts\b|\bjavascript:/,
    /\bset(?:Timeout|Interval)\s*\(\s*["'`]/,
  ],
  [
    'uses data that the browser sends or keeps by itself', SCRIPT,
    /\bdocument\s*\.\s*cookie\b|\bindexedDB\b|\bwithCredentials\b|\bcredentials:\s*["'`](?!omit\b)/,
  ],
];

export function findPageFaults(files: readonly File[]): string[] {
  return files.flatMap(({ name, content }) => {
    const text = content.toString('utf8').replace(NAMESPACES, '').replace(LINKS, '<a');
    return FAULTS.filter(([, names]) => names.test(name)).flatMap(([fault, , ...patterns]) => {
      const found = patterns.map((pattern) => pattern.exec(text)?.[0]).find((match) => match !== undefined);
      return found === undefined ? [] : [`${name} ${fault}: ${found}`];
    });
  });
}
