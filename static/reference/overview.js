/** The first page of the reference: all operations, and the rules for all operations. */
import { element } from '../shared/elements.js';
import { DOCUMENT_URL } from './description.js';
import { toBlocks, toInline } from './markdown.js';
import { code, section, toBreakable, toMethod } from './parts.js';

export function showOverview({ title, version, introduction, rules, tags, base }) {
  return [
    element('header', { class: 'title' },
      element('p', { class: 'over' }, `${title} ${version}`),
      element('h1', { tabindex: -1 }, 'API reference'),
    ),
    element('div', { class: 'prose' },
      toBlocks(introduction),
      element('p', {}, 'Base URL: ', code(base.href.replace(/\/$/, '')), ' · Generated from ',
        element('a', { href: DOCUMENT_URL.href }, 'openapi.json')),
    ),
    tags.map((tag) => section(
      tag.name, element('p', { class: 'words' }, toInline(tag.description)), showOperations(tag),
    )),
    rules.map((rule) => section(rule.title, element('div', { class: 'prose' }, toBlocks(rule.text)))),
  ];
}

function showOperations({ operations }) {
  return element('ul', { class: 'index' }, operations.map(({ id, summary, method, path }) => element('li', {},
    element('a', { href: `#${id}` }, summary), element(
      'span', {}, toMethod(method), ' ', element('code', {}, toBreakable(path)),
    ),
  )));
}
