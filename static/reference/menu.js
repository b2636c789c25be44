/** The menu of operations, and the field that filters the menu. */
import { element } from '../shared/elements.js';
import { toMethod } from './parts.js';

/** Returns the text in which the filter looks for words. */
function toText({ id, method, path, summary, description, callers, parameters, body, answers }) {
  const headers = answers.flatMap((answer) => answer.headers);
  const forms = answers.filter(({ status }) => status !== 'default').flatMap(({ content }) => content);
  const names = [...parameters, ...headers].map((part) => `${part.name} ${part.description}`);
  const titles = forms.flatMap(({ problems }) => problems.map(({ title }) => title));
  const shown = forms.filter(({ problems }) => problems.length === 0);
  const members = [body ?? {}, ...shown].map(({ schema }) => toWords(schema));
  const allowed = callers.replace(/\]\(.*?\)/g, ']'); // without the URLs of links
  return [method, path, id, summary, description, allowed, ...names, ...titles, ...members]
    .join(' ').toLowerCase();
}

/**
 * Returns the names, values and descriptions of all members.
 *
 * @param {any} [schema]
 */
function toWords({ description = '', enum: values = [], items, properties = {} } = {}) {
  const members = Object.entries(properties).map(([name, member]) => `${name} ${toWords(member)}`);
  return [description, ...values, ...members, items ? toWords(items) : ''].join(' ');
}

/** @returns A function that marks the current page in the menu. */
export function createMenu({ tags, operations }, { filter, status, list }) {
  const overview = toLink('', 'Overview');
  const entries = operations.map((operation) => {
    const link = toLink(operation.id, operation.summary, toMethod(operation.method));
    return { link, tag: operation.tag, item: element('li', {}, link), text: toText(operation) };
  });
  const groups = tags.map(({ name }) => element('section', { class: 'group' },
    element('h2', {}, name),
    element('ul', {}, entries.filter(({ tag }) => tag === name).map(({ item }) => item)),
  ));
  list.replaceChildren(element('ul', {}, element('li', {}, overview)), ...groups);
  filter.addEventListener('input', apply);
  filter.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') {
      entries.find(({ item }) => !item.hidden)?.link.click();
    }
  });
  return mark;

  function apply() {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const { item, text } of entries) {
      item.hidden = !words.every((word) => text.includes(word));
    }
    for (const group of groups) {
      group.hidden = group.querySelector('li:not([hidden])') === null;
    }
    const count = entries.filter(({ item }) => !item.hidden).length;
    const found = count === 0 ? 'No operation matches' : `${count} of ${entries.length} operations`;
    status.textContent = filter.value === '' ? '' : found;
  }

  /** @param {string} id */
  function mark(id) {
    for (const link of [overview, ...entries.map((entry) => entry.link)]) {
      link.removeAttribute('aria-current');
      if (link.hash.slice(1) === id) {
        link.setAttribute('aria-current', 'page');
        link.scrollIntoView({ block: 'nearest' });
      }
    }
  }
}

function toLink(id, name, ...marks) {
  return element('a', { href: `#${id}` }, element('span', {}, name), ...marks);
}
