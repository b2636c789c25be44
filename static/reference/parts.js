/** Elements that the pages of the reference share. */
import { element, lines } from '../shared/elements.js';
import { highlight } from './highlight.js';

const SHOWN_CHARACTERS_MAX = 100_000;

/** @param {string} text */
export function code(text) {
  return element('code', {}, text);
}

/** Shows a text as it is, and any other value as JSON. */
export function showValue(label, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  const rest = text.length - SHOWN_CHARACTERS_MAX;
  return lines(
    label, highlight(text.slice(0, SHOWN_CHARACTERS_MAX)), rest > 0 && `\n(and ${rest} more characters)`,
  );
}

/**
 * @param {string} heading
 * @param {...import('../shared/elements.js').Child} children
 */
export function section(heading, ...children) {
  const id = `section-${heading.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
  return element(
    'section', { 'class': 'part', 'aria-labelledby': id }, element('h2', { id }, heading), ...children,
  );
}

/** @param {readonly unknown[]} fields */
export function countFields({ length }) {
  return `${length} header ${length === 1 ? 'field' : 'fields'}`;
}

/** @param {string} method */
export function toMethod(method) {
  return element('b', { class: `method ${method.toLowerCase()}` }, method);
}

/** @param {string} path */
export function toBreakable(path) {
  return path.split(/(?<=\/)(?=.)/).flatMap((segment) => [segment, element('wbr')]);
}
