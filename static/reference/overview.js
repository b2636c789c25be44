/** The first page: what holds of all operations, and all of them. */
import { DOCUMENT_URL } from './description.js';
import { code, element, section } from './dom.js';
import { toBreakable, toMethod } from './endpoint.js';
import { toBlocks, toInline } from './markdown.js';

/** @returns {Node[]} The first one has the heading. */
export function showOverview({ title, version, introduction, tags, base }) {
  const [first = '', ...rest] = introduction.split(/\n(?=## )/);
  return [
    element('header', { class: 'title' },
      element('p', { class: 'over' }, `${title} ${version}`),
      element('h1', { tabindex: -1 }, 'API reference'),
    ),
    element('div', { class: 'prose' },
      toBlocks(first),
      element('p', {}, 'Everything here is at ', code(base.href.replace(/\/$/, '')), ', and is read from ',
        element('a', { href: DOCUMENT_URL.href }, 'the description in OpenAPI'), ', which is there for programs.'),
    ),
    ...tags.map((tag) => section(tag.name, element('p', { class: 'words' }, toInline(tag.description)), showOperations(tag))),
    ...rest.map((part) => element('div', { class: 'part prose' }, toBlocks(part))),
  ];
}

function showOperations({ operations }) {
  return element('ul', { class: 'index' }, operations.map((operation) => element('li', {},
    element('a', { href: `#${operation.id}` }, toMethod(operation.method), ' ', element('code', {}, toBreakable(operation.path))),
    element('p', { class: 'words' }, toInline(operation.summary)),
  )));
}
