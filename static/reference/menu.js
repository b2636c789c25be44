/** The list of guides and operations at the side, and the field that filters it. */
import { element } from '../shared/elements.js';
import { toMethod } from './parts.js';

function toGuideEntry({ id, title, text = '' }) {
  return { id, title, text: `${title} ${text}` };
}

/** A link to a page outside the reference, which the filter does not hide. */
function toPageLink(href, title) {
  return element('li', {}, element('a', { href }, element('span', {}, title)));
}

/** The filter finds the words of the text, and the names of parameters, header fields and problems. */
function toOperationEntry({ id, name, method, path, summary, description, parameters, answers }) {
  const headers = answers.flatMap((answer) => answer.headers);
  const problems = answers.filter(({ status }) => status !== 'default')
    .flatMap(({ content }) => content.flatMap((form) => form.problems));
  const names = [...parameters, ...headers].map((part) => `${part.name} ${part.description}`);
  const titles = problems.map(({ title }) => title);
  const text = [method, path, id, name, summary, description, ...names, ...titles].join(' ');
  return { id, title: name, method, text };
}

/** @returns A function that marks the current page. */
export function createMenu({ guides, tags, operations }, { filter, status, list }) {
  const links = [];
  const groups = [
    createGroup('Guides', [{ id: '', title: 'Overview' }, ...guides].map(toGuideEntry)),
    ...tags.map((tag) => createGroup(tag.name, tag.operations.map(toOperationEntry), tag.isLast)),
  ];
  groups[0]?.node.lastElementChild.append(toPageLink('../guides/', 'Step by step'));
  list.replaceChildren(...groups.map(({ node }) => node));
  filter.addEventListener('input', apply);
  filter.addEventListener('keydown', useKey);
  return mark;

  function createGroup(title, entries, isFolded = false) {
    const items = entries.map(({ id, title: name, method = undefined, text }) => {
      const link = element('a', { href: `#${id}` }, element('span', {}, name), method && toMethod(method));
      links.push(link);
      return { node: element('li', {}, link), text: text.toLowerCase(), isOperation: method !== undefined };
    });
    const heading = element('h2', {}, title);
    const members = element('ul', {}, items.map(({ node }) => node));
    const node = isFolded
      ? element('details', { class: 'group' }, element('summary', {}, heading), members)
      : element('section', { class: 'group' }, heading, members);
    return { node, items, isFolded };
  }

  function apply() {
    const words = filter.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const { node, items, isFolded } of groups) {
      for (const { node: item, text, isOperation } of items) {
        item.hidden = !words.every((word) => text.includes(word));
        count += item.hidden || !isOperation ? 0 : 1;
      }
      node.hidden = items.every(({ node: item }) => item.hidden);
      if (isFolded) {
        node.toggleAttribute('open', filter.value !== '');
      }
    }
    const found = count === 0 ? 'No operation matches' : `${count} of ${operations.length} operations`;
    status.textContent = filter.value === '' ? '' : found;
  }

  function useKey({ key }) {
    if (key === 'Escape') {
      filter.value = '';
      apply();
    } else if (key === 'Enter') {
      list.querySelector('.group:not([hidden]) li:not([hidden]) a')?.click();
    }
  }

  /** @param {string} id - The id of the page. */
  function mark(id) {
    for (const link of links) {
      const isCurrent = link.hash.slice(1) === id;
      link.toggleAttribute('aria-current', isCurrent);
      if (isCurrent) {
        link.setAttribute('aria-current', 'page');
        link.closest('details')?.toggleAttribute('open', true);
        link.scrollIntoView({ block: 'nearest' });
      }
    }
  }
}
