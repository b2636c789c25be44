/**
 * Converts a small subset of CommonMark to elements: paragraphs, code and links. All other markup, such as a
 * list, is shown as plain text.
 */
import { element } from '../shared/elements.js';
import { DOCUMENT_URL } from './description.js';
import { code } from './parts.js';

/** Matches code in back-ticks, or a link. */
const INLINE = /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** @param {string} text @returns {(Node | string)[]} */
export function toInline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, codeText, linkText, target] = match;
    nodes.push(
      text.slice(end, match.index), codeText === undefined ? toLink(linkText, target) : code(codeText),
    );
    end = match.index + whole.length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

/** @param {string} text @returns {Node[]} */
export function toBlocks(text) {
  return text.trim().split(/\n{2,}/).map((paragraph) => element('p', {}, toInline(paragraph)));
}

/** Only links to http and https are allowed, because the scheme `javascript` would run code in this page. */
function toLink(text, target) {
  const url = new URL(target, DOCUMENT_URL);
  return /^https?:$/.test(url.protocol) ? element('a', { href: url.href }, text) : text;
}
