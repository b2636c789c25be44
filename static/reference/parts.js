/** Elements that the pages of the reference share. */
import { element, lines } from '../shared/elements.js';
import { highlight } from './highlight.js';

/** The number of characters after which a text is cut off. */
const SHOWN_CHARACTERS_MAX = 100_000;

/** @param {string} text */
export function code(text) {
  return element('code', {}, text);
}

/** Shows a value as lines of code in colours: a text as it is, and any other value as JSON. */
export function showValue(label, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  const rest = text.length - SHOWN_CHARACTERS_MAX;
  return lines(
    label, highlight(text.slice(0, SHOWN_CHARACTERS_MAX)), rest > 0 && `\n(and ${rest} more characters)`,
  );
}

/**
 * A section with a heading.
 *
 * @param {string} heading
 * @param {...import('../shared/elements.js').Child} children
 */
export function section(heading, ...children) {
  const id = `section-${heading.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
  return element(
    'section', { 'class': 'part', 'aria-labelledby': id }, element('h2', { id }, heading), ...children,
  );
}

/** @param {string} method */
export function toMethod(method) {
  return element('b', { class: `method ${method.toLowerCase()}` }, method);
}

/** @param {string} path @returns The path, with a `<wbr>` after each segment. */
export function toBreakable(path) {
  return path.split(/(?<=\/)(?=.)/).flatMap((segment) => [segment, element('wbr')]);
}
