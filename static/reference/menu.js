/** The list of operations at the side, and the field that filters it. */
import { element } from './dom.js';
import { toBreakable, toMethod } from './endpoint.js';

/** @returns What the page does with the menu. */
export function createMenu({ tags, operations }, { filter, status, list }) {
  const links = new Map(operations.map((operation) => [operation, showLink(operation)]));
  const groups = tags.map((tag) => {
    const id = `tag-${tag.name.toLowerCase().replaceAll(' ', '-')}`;
    const items = tag.operations.map((operation) => ({ operation, item: element('li', {}, links.get(operation)) }));
    const node = element('section', { 'aria-labelledby': id }, element('h2', { id }, tag.name), element('ul', {}, items.map(({ item }) => item)));
    return { node, items };
  });
  list.replaceChildren(element('p', {}, element('a', { href: '#' }, 'Overview')), ...groups.map(({ node }) => node));

  function apply() {
    const words = filter.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const { node, items } of groups) {
      for (const { operation, item } of items) {
        item.hidden = !words.every((word) => toSearchText(operation).includes(word));
        count += item.hidden ? 0 : 1;
      }
      node.hidden = items.every(({ item }) => item.hidden);
    }
    status.textContent = filter.value === '' ? '' : count === 0 ? 'No operation has these words' : `${count} of ${operations.length} operations`;
  }

  filter.addEventListener('input', apply);
  filter.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      filter.value = '';
      apply();
    } else if (event.key === 'Enter') {
      list.querySelector('section:not([hidden]) li:not([hidden]) a')?.click();
    }
  });

  return {
    /** @param {any} current - The operation that is shown; `undefined` for none. */
    mark(current) {
      for (const [operation, link] of links) {
        if (operation === current) {
          link.setAttribute('aria-current', 'page');
          link.scrollIntoView({ block: 'nearest' });
        } else {
          link.removeAttribute('aria-current');
        }
      }
    },
  };
}

function showLink({ id, method, path }) {
  return element('a', { 'href': `#${id}`, 'aria-label': `${method} ${path}` }, toMethod(method), ' ', element('span', {}, toBreakable(path)));
}

function toSearchText({ id, method, path, summary }) {
  return `${method} ${path} ${id} ${summary}`.toLowerCase();
}
