/** Elements of the page. Text becomes text and nothing else: no markup is ever read from a string. */

/**
 * @param {string} name - Of the element.
 * @param {Readonly<Record<string, unknown>>} attributes - A function is a listener of the event after `on`; `true` is an
 *   attribute without a value, `false` and `undefined` are none.
 * @param {...(Node | string | undefined | readonly (Node | string | undefined)[])} children
 */
export function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      created.addEventListener(key.slice('on'.length), value);
    } else if (value !== false && value !== undefined) {
      created.setAttribute(key, value === true ? '' : String(value));
    }
  }
  created.append(...children.flat().filter((child) => child !== undefined));
  return created;
}

/** @param {string} text */
export function code(text) {
  return element('code', {}, text);
}

/** Lines of code that can be scrolled with the keyboard. @param {string} label @param {string} text */
export function lines(label, text) {
  return element('pre', { role: 'group', 'aria-label': label, tabindex: 0 }, code(text));
}

/**
 * A section with a heading.
 *
 * @param {string} heading
 * @param {...(Node | string | undefined)} children
 */
export function section(heading, ...children) {
  const id = `section-${heading.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
  return element('section', { class: 'part', 'aria-labelledby': id }, element('h2', { id }, heading), ...children);
}
