/** The menu of operations, and the field that filters the menu. */
import { element } from '../shared/elements.js';
import { toMethod } from './parts.js';

/** Returns the text in which the filter looks for words. */
function toText({ id, method, path, summary, description, parameters, answers }) {
  const headers = answers.flatMap((answer) => answer.headers);
  const problems = answers.filter(({ status }) => status !== 'default')
    .flatMap(({ content }) => content.flatMap((form) => form.problems));
  const names = [...parameters, ...headers].map((part) => `${part.name} ${part.description}`);
  const titles = problems.map(({ title }) => title);
  return [method, path, id, summary, description, ...names, ...titles].join(' ').toLowerCase();
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
