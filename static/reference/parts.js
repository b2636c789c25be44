/** Elements that the pages of the reference share. */
import { element } from '../shared/elements.js';

/** @param {string} text */
export function code(text) {
  return element('code', {}, text);
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

/** @param {string} path @returns The path, with possible line breaks after each slash. */
export function toBreakable(path) {
  return path.split(/(?<=\/)(?=.)/).flatMap((segment) => [segment, element('wbr')]);
}
