/** The first page, which lists all operations, and the pages of the guides. */
import { element } from '../shared/elements.js';
import { DOCUMENT_URL } from './description.js';
import { toBlocks, toInline } from './markdown.js';
import { code, section, toBreakable, toMethod } from './parts.js';

/** @returns The nodes of the page. */
export function showOverview({ title, version, introduction, guides, tags, base }) {
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
    section('Guides', element('p', { class: 'words' }, 'In short, or ',
      element('a', { href: '../guides/' }, 'step by step, with commands to copy'), ':',
    ), element('ul', { class: 'guides' }, guides.map(({ id, title: name }) => (
      element('li', {}, element('a', { href: `#${id}` }, name))
    )))),
    tags.map(
      (tag) => section(
        tag.name, element('p', { class: 'words' }, toInline(tag.description)), showOperations(tag),
      ),
    ),
  ];
}

/** @returns The nodes of the page. */
export function showGuide({ title, text }) {
  return [
    element(
      'header', { class: 'title' }, element('p', { class: 'over' }, 'Guide'),
      element('h1', { tabindex: -1 }, title),
    ),
    element('div', { class: 'prose' }, toBlocks(text)),
  ];
}

function showOperations({ operations }) {
  return element('ul', { class: 'index' }, operations.map(({ id, name, method, path }) => element('li', {},
    element('a', { href: `#${id}` }, name), element(
      'span', {}, toMethod(method), ' ', element('code', {}, toBreakable(path)),
    ),
  )));
}
